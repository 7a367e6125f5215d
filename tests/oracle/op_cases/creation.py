"""Calls of the creation operators."""

from __future__ import annotations

from collections.abc import Iterator

from ..op_arguments import ALL, FLOATS, SHAPES, Call, array, call, unary
from .registry import cases


@cases("zeros")
def _zeros() -> Iterator[Call]:
    yield from (call(list(shape)) for shape in SHAPES)
    yield from (call([2], dtype=dtype, device="cpu") for dtype in ALL)


@cases("full")
def _full() -> Iterator[Call]:
    yield from (call([2, 1], value) for value in (True, 3, 2.5, 1 - 2j))
    yield from (call([], 3, dtype=dtype, pin_memory=False) for dtype in ALL)


@cases("zeros_like")
def _zeros_like() -> Iterator[Call]:
    yield from map(call, unary(ALL))
    yield call(array((2, 3), "int64"), dtype="float32")


@cases("arange")
def _arange() -> Iterator[Call]:
    yield from (call(end) for end in (0, 1, 5, 0.5, 3.0, 3.2))
    yield from (call(4, dtype=dtype) for dtype in (*FLOATS, "int32", "int64"))


@cases("arange.start")
def _arange_start() -> Iterator[Call]:
    yield from (call(start, 4) for start in (-2, 4, 0.5, 3.75))
    yield from (call(start, 3.7, dtype="int64") for start in (0.5, -1.5, 3))
