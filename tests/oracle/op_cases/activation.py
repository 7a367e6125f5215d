"""Calls of what bounds elements and chooses among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import (
    ALL,
    FLOATS,
    Call,
    array,
    binary,
    call,
    in_place,
    result,
    special,
    unary,
)
from .registry import cases

ORDERED = (*FLOATS, "int32", "int64")


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


@cases("clamp_")
def _clamp_() -> Iterator[Call]:
    for numbers in unary(ORDERED):
        yield from (call(numbers, *bounds) for bounds in ((-1, 1), (0,), (None, 0)))
    yield call(special("float64"), 0.0, np.nan)


@cases("clamp.out")
def _clamp_out() -> Iterator[Call]:
    for numbers in unary(ORDERED):
        yield call(numbers, -1, 1, out=np.zeros_like(numbers))
        yield call(numbers, None, 0, out=np.zeros_like(numbers))


@cases("clamp_.Tensor")
def _clamp_tensor_() -> Iterator[Call]:
    for numbers, bound in in_place(ORDERED):
        yield from (call(numbers, bound), call(numbers, None, bound))


@cases("clamp.Tensor_out")
def _clamp_tensor_out() -> Iterator[Call]:
    for numbers, bound in binary(ORDERED):
        yield call(numbers, bound, out=result(numbers, bound))


@cases("where.self_out")
def _where_out() -> Iterator[Call]:
    for left, right in binary(ALL):
        yield call(array(left.shape, "bool"), left, right, out=result(left, right))


# --- composites -----------------------------------------------------------------------


@cases("relu", "relu_")
def _relu() -> Iterator[Call]:
    yield from map(call, unary(ORDERED))


@cases("relu.out")
def _relu_out() -> Iterator[Call]:
    yield from (call(a, out=np.zeros_like(a)) for a in unary(ORDERED))


@cases("gelu", "gelu_")
def _gelu() -> Iterator[Call]:
    for numbers in unary(FLOATS):
        yield call(numbers, approximate="tanh")
        # Of infinity in float32 PyTorch makes NaN, unless it is infinity of float64.
        if np.isfinite(numbers).all():
            yield call(numbers)
    yield call(special("float64"))


@cases("gelu.out")
def _gelu_out() -> Iterator[Call]:
    for numbers in unary(FLOATS):
        yield call(numbers, approximate="tanh", out=np.zeros_like(numbers))


@cases("elu", "elu_")
def _elu() -> Iterator[Call]:
    for numbers in unary(FLOATS):
        yield from (call(numbers), call(numbers, 2, 0.5, 3), call(numbers, 0.25))


@cases("elu.out")
def _elu_out() -> Iterator[Call]:
    yield from (call(a, 2, 0.5, out=np.zeros_like(a)) for a in unary(FLOATS))


@cases("hardtanh", "hardtanh_")
def _hardtanh() -> Iterator[Call]:
    for numbers in unary(ORDERED):
        yield from (call(numbers), call(numbers, -2, 2), call(numbers, 0, 1.5))
    yield call(array((4,), "uint8"), 0, 3)


@cases("hardtanh.out")
def _hardtanh_out() -> Iterator[Call]:
    yield from (call(a, -2, 0.5, out=np.zeros_like(a)) for a in unary(ORDERED))


@cases("leaky_relu", "leaky_relu_")
def _leaky_relu() -> Iterator[Call]:
    for numbers in unary(FLOATS):
        yield from (call(numbers), call(numbers, -0.5))


@cases("leaky_relu.out")
def _leaky_relu_out() -> Iterator[Call]:
    yield from (call(a, 2, out=np.zeros_like(a)) for a in unary(FLOATS))


@cases("_softmax", "_log_softmax")
def _softmax() -> Iterator[Call]:
    for numbers in unary(FLOATS):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            yield call(numbers, dim, False)
    for rows in ([np.inf, 0.0], [-np.inf, -np.inf], [1000.0, -1000.0]):
        yield call(np.array(rows), 0, False)


@cases("_softmax.out", "_log_softmax.out")
def _softmax_out() -> Iterator[Call]:
    yield from (
        call(a, -1, False, out=np.zeros(a.shape, a.dtype)) for a in unary(FLOATS)
    )
