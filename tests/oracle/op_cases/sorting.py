"""Calls of the sorting operators.

Arrays are so small that PyTorch sorts them stably, so indices are compared, except for
those of topk, where equal elements can stand for each other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import FLOATS, Call, array, call, special, unary
from .reduction import ORDERED, single_dims
from .registry import cases


@cases("sort")
def _sort() -> Iterator[Call]:
    for numbers in unary(ORDERED):
        yield call(numbers)
        for dim in single_dims(numbers):
            yield from (call(numbers, dim), call(numbers, dim, True))
    ties = np.array([3.0, np.nan, 1.0, 3.0, -0.0, 0.0, np.nan])
    yield from (call(ties), call(ties, descending=True))


@cases("sort.values")
def _sort_out() -> Iterator[Call]:
    for dtype in ORDERED:
        for dim in (0, -1):
            outs = {
                "values": np.zeros((2, 3), dtype),
                "indices": np.zeros((2, 3), "int64"),
            }
            yield call(array((2, 3), dtype), dim, True, **outs)


@cases("topk")
def _topk() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "uint8")):
        for dim in single_dims(numbers):
            size = numbers.shape[dim] if numbers.ndim else 1
            for k in {0, 1, size - 1, size} & {*range(size + 1)}:
                yield from (call(numbers, k, dim), call(numbers, k, dim, False))
    for largest in (True, False):
        yield call(special("float32"), 3, 0, largest, True)
        # Without an order of their own only one element can be compared.
        yield call(array((2, 3), "float32"), 1, -1, largest, False)


@cases("topk.values")
def _topk_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "int64"):
        for largest in (True, False):
            outs = {"values": np.zeros(2, dtype), "indices": np.zeros(2, "int64")}
            yield call(np.array([2, 7, 1, 8], dtype), 2, 0, largest, **outs)
