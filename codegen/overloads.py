"""From declarations to overloads, derived ones among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..runtime.resolver import IMPLICIT
from ..runtime.schema import FunctionSchema
from ..runtime.schema_kinds import SchemaKind, functional_name, kind_of
from ..runtime.space import KeySpace
from .autogen import derivable
from .companions import documented
from .kernels import declared_kernels, derived_kernels, find_modules
from .model import Declaration, Overload, Packet
from .rules import with_rules

#: Marks a function that no entry declares.
GENERATED: Final = "generated"
#: Tags of an entry that are as true of what is derived from it.
_INHERITED: Final = ("nondeterministic_seeded", "pt2_compliant_tag", "view_copy")
#: Marks the operators that transforms must know, composite or not.
_CORE: Final = "core"


@dataclass(frozen=True, slots=True)
class Settings:
    """What makes functions of declarations, beside the declarations."""

    space: KeySpace
    #: Key or alias key -> the module in which bare kernel names are looked up.
    modules: Mapping[str, str]
    #: Rule -> the module in which its bare names are looked up.
    rule_modules: Mapping[str, str]


def make_overloads(
    declarations: Sequence[Declaration], settings: Settings
) -> list[Overload]:
    """Return every overload, the derived ones last.

    What cannot be derived is left out; checks have reported it.
    """
    by_name = {entry.schema.qualified: entry for entry in declarations}
    declared = [_declared(entry, by_name, settings) for entry in declarations]
    wanted: dict[str, tuple[Overload, FunctionSchema]] = {}
    for overload in declared:
        for schema in derived_schemas(overload):
            if schema.qualified not in by_name:
                # Two entries of one operator may ask for the same function.
                wanted.setdefault(schema.qualified, (overload, schema))
    names = {*by_name, *wanted}
    derived = [_derived(*pair, names) for pair in wanted.values()]
    ruled = with_rules(declared + derived, settings.space, settings.rule_modules)
    return documented(ruled)


def derived_schemas(overload: Overload) -> Iterator[FunctionSchema]:
    """Yield the schemas that an entry asks for and that can be derived from it."""
    wanted = overload.declaration.autogen
    if wanted and not decomposes(overload):
        for schema in derivable(overload.schema):
            if schema.qualified in wanted:
                yield schema


def decomposes(overload: Overload) -> bool:
    """Whether transforms see a function only as the functions it calls.

    Nothing is derived for these, asked for or not: nobody would ever reach it.
    """
    return IMPLICIT in overload.kernels and _CORE not in overload.tags


def make_packets(overloads: Iterable[Overload]) -> tuple[Packet, ...]:
    """Return the packets sorted by name, overloads in the order they come in."""
    found: dict[str, list[Overload]] = {}
    for overload in overloads:
        found.setdefault(overload.schema.name, []).append(overload)
    return tuple(Packet(name, tuple(found[name])) for name in sorted(found))


def _declared(
    entry: Declaration, by_name: Mapping[str, Declaration], settings: Settings
) -> Overload:
    delegate = by_name.get(entry.structured_delegate or "")
    kernels = declared_kernels(entry, delegate, settings.space)
    return Overload(
        schema=entry.schema,
        declaration=entry,
        kernels=find_modules(kernels, settings.modules),
        tags=tuple(sorted(entry.tags)),
    )


def _derived(base: Overload, schema: FunctionSchema, names: set[str]) -> Overload:
    kept = [tag for tag in base.tags if tag in _INHERITED]
    return Overload(
        schema=schema,
        declaration=base.declaration,
        kernels=derived_kernels(),
        tags=tuple(sorted([GENERATED, *kept])),
        derived_from=_source(base.schema, schema, names),
    )


def _source(base: FunctionSchema, derived: FunctionSchema, names: set[str]) -> str:
    """Return the function that computes what a derived one returns.

    The ``out=`` function of an in-place one is made of the functional one, wherever
    there is one. That of a mutable one still changes its argument.
    """
    if not derived.is_out or kind_of(base) is SchemaKind.MUTABLE:
        return base.qualified
    overload = f".{base.overload}" if base.overload else ""
    functional = f"{functional_name(base)}{overload}"
    return functional if functional in names else base.qualified
