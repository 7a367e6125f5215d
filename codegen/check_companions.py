"""Rules across the functions of one operator: delegates, derived and in-place ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..runtime.companions import companionship, pure_arguments
from ..runtime.nearest import nearest
from ..runtime.resolver import EXPLICIT
from ..runtime.schema import FunctionSchema
from ..runtime.schema_kinds import functional_name
from .autogen import derivable
from .check_names import describe_difference
from .checking import COMPANION, NOT_DERIVED, Checking
from .companions import companions, has_companion
from .kernels import structured_keys
from .model import Declaration, Overload
from .overloads import decomposes
from .problems import where


def check_delegates(declarations: Sequence[Declaration], checking: Checking) -> None:
    """Check that structured delegates exist, are structured and take the same."""
    by_name = {entry.schema.qualified: entry for entry in declarations}
    for declaration in declarations:
        if declaration.structured_delegate in by_name:
            delegate = by_name[declaration.structured_delegate]
            for message in _why_no_delegate(declaration, delegate, checking):
                checking.add(declaration, "structured_delegate", message)
        elif declaration.structured_delegate not in (None, *checking.left_out):
            name = declaration.structured_delegate or ""
            message = f"no operator {name!r} is declared.{nearest(name, by_name)}"
            checking.add(declaration, "structured_delegate", message)


def check_autogen(declarations: Sequence[Declaration], checking: Checking) -> None:
    """Check that what ``autogen`` names can be derived and is not there already."""
    by_name = {entry.schema.qualified: entry for entry in declarations}
    derived: dict[str, tuple[Declaration, FunctionSchema]] = {}
    for declaration in declarations:
        if not declaration.autogen:
            continue
        possible = {
            schema.qualified: schema for schema in derivable(declaration.schema)
        }
        for name in declaration.autogen:
            if name in by_name:
                place = where(by_name[name].place)
                message = f"{name} is declared at {place}: it need not be derived"
                checking.add(declaration, "autogen", message)
            elif name not in possible:
                checking.add(declaration, "autogen", _not_derivable(name, possible))
            else:
                _compare(declaration, possible[name], derived, checking)


def check_companions(overloads: Sequence[Overload], checking: Checking) -> None:
    """Warn of in-place and ``out=`` functions that do what no functional one does."""
    known = companions(overload.schema for overload in overloads)
    names = {name for name, _ in known}
    for overload in overloads:
        schema = overload.schema
        name = functional_name(schema)
        is_alone = name in names and companionship(schema) not in known
        if has_companion(schema) and is_alone:
            message = f"no overload of {name} takes the arguments of {schema.qualified}"
            checking.warn(overload.declaration, "func", message, COMPANION)


def check_derived(overloads: Sequence[Overload], checking: Checking) -> None:
    """Warn of ``autogen`` at a composite, from which nothing is derived."""
    there = {overload.schema.qualified for overload in overloads}
    for overload in overloads:
        missing = [name for name in overload.declaration.autogen if name not in there]
        if missing and decomposes(overload):
            names, verb = " and ".join(missing), "is" if len(missing) == 1 else "are"
            message = (
                f"{names} {verb} not derived, for {overload.schema.qualified} is a"
                f" composite; from a kernel at {EXPLICIT} it would be"
            )
            checking.warn(overload.declaration, "autogen", message, NOT_DERIVED)


def _why_no_delegate(
    declaration: Declaration, delegate: Declaration, checking: Checking
) -> Iterable[str]:
    name = delegate.schema.qualified
    place = where(delegate.place)
    if not delegate.structured:
        yield f"{name}, at {place}, is not marked 'structured: True'"
    if companionship(declaration.schema)[1] != companionship(delegate.schema)[1]:
        difference = describe_difference(
            *map(_pure, (declaration.schema, delegate.schema))
        )
        yield f"{name}, at {place}, takes other arguments: {difference}"
    for key in structured_keys(delegate, checking.space):
        if key in (declaration.dispatch or ()):
            yield f"{name}, at {place}, has the kernel at {key} already"


def _pure(schema: FunctionSchema) -> FunctionSchema:
    return replace(schema, arguments=pure_arguments(schema), returns=())


def _not_derivable(name: str, possible: Iterable[str]) -> str:
    names = " and ".join(possible)
    can = f"from this schema follow {names}" if names else "nothing follows from it"
    return f"{name!r} cannot be derived: {can}"


def _compare(
    declaration: Declaration,
    schema: FunctionSchema,
    derived: dict[str, tuple[Declaration, FunctionSchema]],
    checking: Checking,
) -> None:
    """Report a function that two entries ask for, with different schemas."""
    entry, first = derived.setdefault(schema.qualified, (declaration, schema))
    if first != schema:
        difference = describe_difference(schema, first)
        message = (
            f"{schema.qualified} is derived twice, first for {where(entry.place)};"
            f" {difference}"
        )
        checking.add(declaration, "autogen", message)
