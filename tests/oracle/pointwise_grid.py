"""Calls of pointwise overloads with operands of all dtypes, made from their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from keyslot.runtime.schema import Argument, FunctionSchema

from .op_arguments import Array, Call

#: Every dtype that PyTorch and NumPy share and promote, one or two of each category.
DTYPES = (
    *("bool", "uint8", "int8", "int32", "int64"),
    *("float32", "float64", "complex64", "complex128"),
)
#: Python numbers of each type.
NUMBERS: tuple[Any, ...] = (True, 2, 0.5, 1j)
#: Operands with dimensions and without, of which the former count more.
_SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((2, 3), (3,)),
    ((2, 3), ()),
    ((), (3,)),
    ((), ()),
)


def grid(schema: FunctionSchema) -> Iterator[Call]:
    """Yield calls with all combinations of dtypes, whether they are taken or not."""
    for shapes in _SHAPES:
        choices = [_choices(arg, shape) for arg, shape in _operands(schema, shapes)]
        for operands in product(*choices):
            for extra in _extras(schema):
                yield from _calls(schema, operands, extra)


def _operands(
    schema: FunctionSchema, shapes: Sequence[tuple[int, ...]]
) -> list[tuple[Argument, tuple[int, ...]]]:
    operands = [arg for arg in schema.positional if arg.name != "alpha"]
    return list(zip(operands, shapes, strict=False))


def _choices(argument: Argument, shape: tuple[int, ...]) -> Sequence[Any]:
    if str(argument.type) == "Scalar":
        return NUMBERS
    return [_counted(shape, dtype) for dtype in DTYPES]


def _counted(shape: tuple[int, ...], dtype: str) -> Array:
    """Return 1, 2, 3 and so on: no division by zero, and nothing that overflows."""
    return (np.arange(np.prod(shape, dtype=int)) + 1).reshape(shape).astype(dtype)


def _extras(schema: FunctionSchema) -> Sequence[dict[str, Any]]:
    """Return what can be given for the arguments that are no operands."""
    names = {arg.name for arg in schema.arguments}
    if "alpha" in names:
        return [{}, *({"alpha": number} for number in NUMBERS)]
    if "rounding_mode" in names:
        return [{"rounding_mode": mode} for mode in (None, "floor", "trunc")]
    return [{}]


def _calls(
    schema: FunctionSchema, operands: tuple[Any, ...], extra: dict[str, Any]
) -> Iterator[Call]:
    if not schema.is_out:
        yield Call(operands, extra)
        return
    shape = np.broadcast_shapes(*map(np.shape, operands))
    for dtype in DTYPES:
        yield Call(operands, {**extra, "out": np.zeros(shape, dtype)})
