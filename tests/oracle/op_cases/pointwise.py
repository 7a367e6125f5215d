"""Calls of pointwise composites; other pointwise calls are made from schemas."""

from __future__ import annotations

from collections.abc import Iterator

from ..op_arguments import ALL, FLOATS, NUMBERS, Call, binary, call, unary
from .registry import cases


@cases("_conj_physical")
def _conjugate() -> Iterator[Call]:
    yield from map(call, unary(ALL))


@cases("square")
def _square() -> Iterator[Call]:
    yield from map(call, unary((*FLOATS, "int64", "complex64")))


@cases("square_")
def _square_() -> Iterator[Call]:
    yield from map(call, unary(NUMBERS))


@cases("max.other")
def _max_other() -> Iterator[Call]:
    yield from (call(*pair) for pair in binary((*FLOATS, "int32", "int64", "bool")))
