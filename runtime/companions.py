"""Functions that do the same and differ in where the results go.

``add`` is the functional companion of ``add_`` and ``add.out``: it takes the same
arguments, but for those that are written to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from .errors import UnknownOperatorError
from .namespace import find_packet
from .schema_kinds import SchemaKind, functional_name, kind_of, tensor_options

if TYPE_CHECKING:
    from .op import OpOverload
    from .schema import Argument, FunctionSchema

#: The name without an in-place mark, and all that a call has to give.
Companionship: TypeAlias = tuple[str, tuple[tuple[str, str, bool], ...]]


def companionship(schema: FunctionSchema) -> Companionship:
    """Return what companions have in common."""
    arguments = pure_arguments(schema)
    taken = tuple((arg.name, str(arg.type), arg.keyword_only) for arg in arguments)
    return functional_name(schema), taken


def pure_arguments(schema: FunctionSchema) -> tuple[Argument, ...]:
    """Return what a function takes, however its results are handed over.

    Without ``out`` arguments, alias marks, and what says which array to make.
    """
    options = tensor_options(schema)
    kept = (arg for arg in schema.arguments if arg not in options)
    return tuple(
        replace(a, marks=()) for a in kept if not (a.keyword_only and a.is_write)
    )


def functional_companion(op: OpOverload) -> OpOverload | None:
    """Return the overload that does what ``op`` does and changes no argument.

    None where there is none. A functional overload is its own companion.
    """
    name, taken = companionship(op.schema)
    kind = kind_of(op.schema)
    if kind is SchemaKind.FUNCTIONAL:
        return op
    if kind is SchemaKind.MUTABLE:
        name = derived_functional_name(op.schema)
    try:
        packet = find_packet(op.namespace, name).packet
    except UnknownOperatorError:
        return None
    for member in packet.members:
        found: OpOverload = member
        is_functional = kind_of(found.schema) is SchemaKind.FUNCTIONAL
        if is_functional and companionship(found.schema)[1] == taken:
            return found
    return None


def derived_functional_name(schema: FunctionSchema) -> str:
    """Return the name of the functional operator that follows from a writing one.

    A mutable function keeps its name for itself: the functional one beside it could
    not be told apart by its arguments, so it is called ``..._functional``.
    """
    suffix = "_functional" if kind_of(schema) is SchemaKind.MUTABLE else ""
    return functional_name(schema) + suffix
