"""Explanations of calls whose key set is the native side's to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .cells import cell_facts, places
from .errors import ArgumentFact
from .explain import Explanation
from .given import type_name

if TYPE_CHECKING:
    from .native import NativeOverload


def explain_native(
    op: NativeOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Explanation:
    """Return the decision for a call of these arguments in this thread's state."""
    dispatcher = op.dispatcher
    arrays = op.arrays(args, kwargs)
    table = op.python_table if dispatcher.is_python_on else op.dispatch_table
    included, excluded = map(dispatcher.side.bits, dispatcher.side.state())
    brought = dispatcher.side.bits(dispatcher.side.brought(tuple(arrays.values())))
    bits = (brought | included) & ~excluded & dispatcher.dispatch_bits
    first, *others = places(bits & table.mask) or [0]
    return Explanation(
        op=op.name,
        schema=op.schema_text,
        ranking=((op.qualified_name, "chosen by the library that dispatches it"),),
        arguments=facts_of_arrays(op, arrays),
        brought=dispatcher.key_names(brought),
        included=dispatcher.key_names(included & dispatcher.dispatch_bits),
        excluded=dispatcher.key_names(excluded),
        fallthrough=dispatcher.key_names(bits & ~table.mask),
        keys=dispatcher.key_names(bits & table.mask),
        python_dispatcher=dispatcher.is_python_on,
        chosen=cell_facts(op, table, first),
        disabled=(),
        refusal=None,
        error=None,
        runners_up=tuple(cell_facts(op, table, place) for place in others),
    )


def facts_of_arrays(
    op: NativeOverload, arrays: Mapping[str, Any]
) -> tuple[ArgumentFact, ...]:
    """Return what dispatch sees of the arguments that may be arrays."""
    return tuple(_fact(op, name, value) for name, value in arrays.items())


def _fact(op: NativeOverload, name: str, value: object) -> ArgumentFact:
    dispatcher = op.dispatcher
    bits = dispatcher.side.bits(dispatcher.side.brought((value,)))
    keys = ", ".join(dispatcher.key_names(bits)) or "brings no key"
    return ArgumentFact(name, type_name(type(value)), keys)
