"""Calls of shipped overloads made from their schemas, one argument being chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from keyslot import OpOverload, ops
from keyslot.runtime.schema import Argument, Type

from .oracle.op_arguments import Call

#: A value of each schema type that is no array. All that is not here may be None.
_VALUES: Final[dict[str, Any]] = {
    **dict.fromkeys(("int", "SymInt"), 0),
    "Scalar": 1,
    "ScalarType": "float64",
    "bool": True,
    "float": 1.0,
    "str": "",
}


def shipped() -> dict[str, OpOverload]:
    """Return every overload that keyslot ships by its qualified name, derived too."""
    packets = [getattr(ops, name) for name in dir(ops)]
    overloads = [
        getattr(packet, name)
        for packet in packets
        if hasattr(packet, "overloads")
        for name in packet.overloads()
    ]
    return {overload.schema.qualified: overload for overload in overloads}


def array_arguments(op: OpOverload) -> Iterator[Argument]:
    """Yield the arguments that are arrays, or lists of them."""
    return (arg for arg in op.schema.arguments if arg.type.base.name == "Tensor")


def call_with(op: OpOverload, chosen: Argument, value: object, array: Any) -> Call:
    """Return a call with ``value`` as one argument and copies of an array as others.

    Whether the kernel can do anything with these is left to it.
    """

    def given(argument: Argument) -> Any:
        return value if argument is chosen else _value(argument.type, array)

    positional, named = op.schema.positional, op.schema.keyword_only
    return Call(tuple(map(given, positional)), {arg.name: given(arg) for arg in named})


def _value(type: Type, array: Any) -> Any:
    if type.kind == "optional":
        return None
    if type.kind == "list":
        return [_value(type.element, array)]
    return array.copy() if type.name == "Tensor" else _VALUES.get(type.name)
