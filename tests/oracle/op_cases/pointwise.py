"""Calls of the pointwise operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import (
    ALL,
    FLOATS,
    NUMBERS,
    Call,
    array,
    binary,
    call,
    in_place,
    result,
    scalars,
    special,
    unary,
)
from .registry import cases


@cases("add.Tensor", "sub.Tensor")
def _add_tensor() -> Iterator[Call]:
    for left, right in binary(NUMBERS):
        yield call(left, right)
        yield from (call(left, right, alpha=n) for n in scalars(left.dtype.name))


@cases("add.Scalar", "sub.Scalar")
def _add_scalar() -> Iterator[Call]:
    for left in unary(NUMBERS):
        for number in scalars(left.dtype.name):
            yield call(left, number)
            yield call(left, number, 3)
    yield from (call(array((3,), "int64"), 0.5), call(array((3,), "int64"), 0.5, 1.5))


@cases("add_.Tensor")
def _add_tensor_() -> Iterator[Call]:
    for left, right in in_place(NUMBERS):
        yield from (call(left, right), call(left, right, alpha=2))


@cases("add_.Scalar")
def _add_scalar_() -> Iterator[Call]:
    for left in unary(NUMBERS):
        yield from (call(left, number, 2) for number in scalars(left.dtype.name))


@cases("add.out")
def _add_out() -> Iterator[Call]:
    for left, right in binary(NUMBERS):
        yield call(left, right, alpha=2, out=result(left, right))


@cases("mul.Tensor", "maximum", "max.other")
def _mul_tensor() -> Iterator[Call]:
    yield from (call(*pair) for pair in binary((*FLOATS, "int32", "int64", "bool")))


@cases("mul.Scalar")
def _mul_scalar() -> Iterator[Call]:
    for left in unary(NUMBERS):
        yield from (call(left, number) for number in scalars(left.dtype.name))
    yield from (call(array((3,), "bool"), 2), call(array((3,), "int64"), 0.5))


@cases("mul_.Tensor")
def _mul_tensor_() -> Iterator[Call]:
    yield from (call(*pair) for pair in in_place(ALL))


@cases("mul_.Scalar")
def _mul_scalar_() -> Iterator[Call]:
    for left in unary(NUMBERS):
        yield from (call(left, number) for number in scalars(left.dtype.name))


@cases("mul.out")
def _mul_out() -> Iterator[Call]:
    for left, right in binary(ALL):
        yield call(left, right, out=result(left, right))


@cases("div.Tensor")
def _div_tensor() -> Iterator[Call]:
    yield from (call(*pair) for pair in binary((*FLOATS, "int32", "int64", "bool")))


@cases("div.Scalar")
def _div_scalar() -> Iterator[Call]:
    for left in unary((*FLOATS, "int32", "int64")):
        yield from (call(left, number) for number in (2, -0.5))


@cases("div.Tensor_mode")
def _div_tensor_mode() -> Iterator[Call]:
    for mode in (None, "floor", "trunc"):
        for left, right in binary(FLOATS):
            yield call(left, right, rounding_mode=mode)
        for dtype in ("int32", "int64"):
            some = np.array([-3, -2, -1, 1, 2, 3], dtype=dtype)
            yield call(array((4, 1), dtype), some, rounding_mode=mode)


@cases("exp", "square")
def _exp() -> Iterator[Call]:
    yield from map(call, unary((*FLOATS, "int64", "complex64")))


@cases("neg", "square_")
def _neg() -> Iterator[Call]:
    yield from map(call, unary(NUMBERS))


@cases("clamp")
def _clamp() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "int64")):
        for bounds in ((-1, 1), (1, -1), (0,), (None, 0)):
            yield call(numbers, *bounds)
            yield call(numbers, **dict(zip(("min", "max"), bounds, strict=False)))
    yield from (call(special("float64"), 0.0, np.nan), call(array((3,), "int64"), 0.5))


@cases("clamp.Tensor")
def _clamp_tensor() -> Iterator[Call]:
    for numbers, bound in binary((*FLOATS, "int32", "int64")):
        yield from (call(numbers, bound), call(numbers, None, bound))
        yield call(numbers, bound, array((1,), numbers.dtype.name, 3))


@cases("where.self")
def _where() -> Iterator[Call]:
    for left, right in binary(ALL):
        yield call(array(left.shape, "bool"), left, right)
        yield call(array((1,), "bool"), left, right)
