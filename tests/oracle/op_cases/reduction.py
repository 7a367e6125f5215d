"""Calls of the reduction operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import ALL, FLOATS, Call, array, call, dims, unary
from .registry import cases


@cases("sum")
def _sum() -> Iterator[Call]:
    for numbers in unary((*ALL, "int8", "uint8")):
        yield call(numbers)
    for dtype in ("float32", "int64", "bool", "complex128"):
        yield call(np.array([0.5, 0.75, -1.5]), dtype=dtype)


@cases("sum.dim_IntList")
def _sum_dim() -> Iterator[Call]:
    for numbers in unary(ALL):
        for dim in dims(numbers.ndim):
            yield from (call(numbers, dim), call(numbers, dim, True))
    yield call(array((2, 3), "float64"), [0], dtype="int64")
    yield call(array((2, 3), "uint8"), [0])


@cases("sum.IntList_out")
def _sum_out() -> Iterator[Call]:
    for dtype in ("float64", "float32", "int64"):
        for dim, shape in ((0, (3,)), ([-1], (2,)), (None, ())):
            yield call(array((2, 3), "float64"), dim, out=np.zeros(shape, dtype))
        out = np.zeros((2, 1), dtype)
        yield call(array((2, 3), "float64"), 1, True, dtype=dtype, out=out)


@cases("max")
def _max() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "int64", "bool")):
        if numbers.size:
            yield call(numbers)


@cases("max.dim")
def _max_dim() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "int64", "bool")):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            if numbers.ndim == 0 or numbers.shape[dim]:
                yield from (call(numbers, dim), call(numbers, dim, True))


@cases("max.dim_max")
def _max_dim_out() -> Iterator[Call]:
    for dim, keepdim, shape in ((0, False, (3,)), (-1, True, (2, 1))):
        for dtype in ("float32", "int64"):
            outs = {"max": np.zeros(shape, dtype), "max_values": np.zeros(shape, int)}
            yield call(array((2, 3), dtype), dim, keepdim, **outs)


@cases("var_mean.correction")
def _var_mean() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "complex64")):
        # What is undefined is so for NumPy with a warning of its own.
        if numbers.size and np.isfinite(numbers).all():
            for dim in dims(numbers.ndim):
                yield call(numbers, dim, correction=0)
                yield call(numbers, dim, correction=0.5, keepdim=True)
    yield from (call(array((4,), "float64")), call(array((2, 3), "float32"), [0]))
