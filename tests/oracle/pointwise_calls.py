"""Calls of pointwise overloads, made from their schemas.

Not all of them are taken: operands are of all dtypes, and PyTorch is asked which of
these an operator takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from keyslot.runtime.schema import FunctionSchema

from .op_arguments import FLOATS, PAIRS, SHAPES, Array, Call, array, special

#: Every dtype that PyTorch and NumPy share and promote, one or two of each category.
DTYPES = (
    *("bool", "uint8", "int8", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
#: Python numbers of each type.
NUMBERS: tuple[Any, ...] = (True, 2, 0.5, 1j)
#: Operands with dimensions and without, of which the former count more.
_RANKS: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((2, 3), (3,)),
    ((2, 3), ()),
    ((), (3,)),
    ((), ()),
)


def pointwise_calls(schema: FunctionSchema) -> Iterator[Call]:
    """Yield calls with operands of all dtypes, and with operands of all shapes."""
    types = [str(arg.type) for arg in schema.positional if arg.name != "alpha"]
    # Which dtype ``out`` may have depends on those of operands, not on their shapes.
    for shapes in _RANKS[:1] if schema.is_out else _RANKS:
        choices = [_of_all_dtypes(*pair) for pair in zip(types, shapes, strict=False)]
        for operands in product(*choices):
            yield from _calls(schema, operands, DTYPES)
    for operands in _of_all_shapes(types):
        yield from _calls(schema, operands, ("float64", "complex128"))


def _calls(
    schema: FunctionSchema, operands: tuple[Any, ...], out_dtypes: Sequence[str]
) -> Iterator[Call]:
    for extra in _extras(schema):
        if not schema.is_out:
            yield Call(operands, extra)
            continue
        shape = np.broadcast_shapes(*map(np.shape, operands))
        for dtype in out_dtypes:
            yield Call(operands, {**extra, "out": np.zeros(shape, dtype)})


def _extras(schema: FunctionSchema) -> Sequence[dict[str, Any]]:
    """Return what can be given for the arguments that are no operands."""
    names = {arg.name for arg in schema.arguments}
    if "alpha" in names:
        return [{}, *({"alpha": number} for number in NUMBERS)]
    if "rounding_mode" in names:
        return [{"rounding_mode": mode} for mode in (None, "floor", "trunc")]
    return [{}]


def _of_all_dtypes(type: str, shape: tuple[int, ...]) -> Sequence[Any]:
    if type == "Scalar":
        return NUMBERS
    # 1, 2, 3 and so on: no division by zero, and nothing that overflows.
    counted = (np.arange(np.prod(shape, dtype=int)) + 1).reshape(shape)
    return [counted.astype(dtype) for dtype in DTYPES]


def _of_all_shapes(types: list[str]) -> Iterator[tuple[Any, ...]]:
    if len(types) == 1:
        yield from ((one,) for one in _arrays())
    elif "Scalar" in types:
        yield from _with_numbers(number_first=types[0] == "Scalar")
    else:
        yield from _pairs()


def _arrays() -> Iterator[Array]:
    """Yield arrays of all shapes, strided ones, and special numbers."""
    for dtype in DTYPES:
        yield from (array(shape, dtype) for shape in SHAPES)
        yield from (array((2, 3), dtype).T, array((7,), dtype)[::-2])
    yield from map(special, FLOATS)


def _with_numbers(number_first: bool) -> Iterator[tuple[Any, Any]]:
    for one in _arrays():
        # NumPy refuses to make a negative number unsigned.
        negative = () if one.dtype.kind == "u" else (-3,)
        for number in (2, *negative, -1.5):
            yield (number, one) if number_first else (one, number)


def _pairs() -> Iterator[tuple[Array, Array]]:
    for dtype in DTYPES:
        yield from ((array(a, dtype, 1), array(b, dtype, 2)) for a, b in PAIRS)
        # Integers can be divided by all but 0.
        strided = array((3, 4), dtype, 2)[:, ::2]
        yield array((2, 3), dtype, 1).T, np.where(strided == 0, 3, strided)
    for dtype in FLOATS:
        numbers = special(dtype)
        yield np.repeat(numbers, numbers.size), np.tile(numbers, numbers.size)
