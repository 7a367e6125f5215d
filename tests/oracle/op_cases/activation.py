"""Calls of what bounds elements and chooses among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import ALL, FLOATS, Call, array, binary, call, special, unary
from .registry import cases


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
