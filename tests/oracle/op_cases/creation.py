"""Calls of the creation operators."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..op_arguments import ALL, FLOATS, SHAPES, Call, array, binary, call, result, unary
from .registry import cases

#: Numbers that every dtype can hold.
FILLINGS = (True, 3, 2.5)

#: Sizes and strides: dense, transposed, repeated, with gaps, and with nothing.
STRIDED: tuple[tuple[list[int], list[int]], ...] = (
    *(([2, 3], [3, 1]), ([2, 3], [1, 2]), ([2, 3], [0, 1]), ([2, 2], [1, 1])),
    *(([3], [5]), ([0, 3], [7, 7]), ([], []), ([1, 4], [9, 2])),
)


@cases("empty.memory_format")
def _empty() -> Iterator[Call]:
    yield from (call(list(shape)) for shape in SHAPES)
    yield from (call([2, 3], dtype=dtype, device="cpu") for dtype in ALL)


@cases("empty.out", "ones.out")
def _empty_out() -> Iterator[Call]:
    yield from (call(list(s), out=np.zeros(s, d)) for s in SHAPES for d in ALL)


@cases("empty_strided")
def _empty_strided() -> Iterator[Call]:
    for size, stride in STRIDED:
        yield from (call(size, stride, dtype=dtype) for dtype in (None, *ALL))


@cases("empty_strided.out")
def _empty_strided_out() -> Iterator[Call]:
    for size, stride in STRIDED:
        yield call(size, stride, out=np.zeros(size))


@cases("ones", "zeros")
def _zeros() -> Iterator[Call]:
    yield from (call(list(shape)) for shape in SHAPES)
    yield from (call([2], dtype=dtype, device="cpu") for dtype in ALL)


@cases("full")
def _full() -> Iterator[Call]:
    yield from (call([2, 1], value) for value in (True, 3, 2.5, 1 - 2j))
    yield from (call([], 3, dtype=dtype, pin_memory=False) for dtype in ALL)


@cases("full.out")
def _full_out() -> Iterator[Call]:
    for shape in SHAPES:
        for dtype in ALL:
            for value in FILLINGS:
                yield call(list(shape), value, out=np.zeros(shape, dtype))


@cases("full_like")
def _full_like() -> Iterator[Call]:
    for numbers in unary((*ALL, "float16", "uint8")):
        yield from (call(numbers, value) for value in FILLINGS)
    yield call(array((2, 3), "int64"), 2.5, dtype="float32")
    yield call(array((2, 3), "int64"), 1 - 2j, dtype="complex128")
    yield from (call(array((2,), "float32"), value) for value in (np.nan, np.inf))


@cases("full_like.out")
def _full_like_out() -> Iterator[Call]:
    for dtype in ALL:
        yield call(array((2, 3), dtype), 2.0, out=np.zeros((2, 3), dtype))


@cases("scalar_tensor")
def _scalar_tensor() -> Iterator[Call]:
    for value in FILLINGS:
        yield from (call(value, dtype=dtype) for dtype in (None, *ALL))
    yield call(1 - 2j, dtype="complex64")


@cases("scalar_tensor.out")
def _scalar_tensor_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "complex64"):
        yield from (call(value, out=np.zeros((), dtype)) for value in FILLINGS)


@cases("fill.Scalar", "fill_.Scalar")
def _fill() -> Iterator[Call]:
    for numbers in unary((*ALL, "float16", "uint8")):
        yield from (call(numbers, value) for value in FILLINGS)
    yield call(array((3,), "bool"), 1 - 2j)
    yield call(array((3,), "complex64"), 1 - 2j)


@cases("fill.Scalar_out")
def _fill_out() -> Iterator[Call]:
    for dtype in ALL:
        yield call(array((2, 3), dtype), 2.0, out=np.zeros((2, 3), dtype))


@cases("empty_like.out", "zeros_like.out")
def _zeros_like_out() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield call(numbers, out=np.ones(numbers.shape, numbers.dtype))


@cases("empty_like", "ones_like", "zeros_like")
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
    yield from (call(start, 3.7, dtype="int32") for start in (0.5, -1.5, 3))


#: Ranges up and down, empty ones, of integers, floats and both.
RANGES: tuple[tuple[float, float, float], ...] = (
    *((0, 5, 2), (5, 0, -2), (0, 1, 0.25), (1, 2, 0.1), (3, 3, 1), (3, 3, -1)),
    *((0.5, 3.7, 1.5), (-1.5, 3.7, 2), (3.5, -0.5, -1), (True, 4, 1)),
    *((0, 300, 100), (-0.1, 50, 0.7)),
)


@cases("arange.start_step")
def _arange_step() -> Iterator[Call]:
    for ends in RANGES:
        yield call(*ends)
        for dtype in (*FLOATS, "float16", "uint8", "int32", "int64"):
            if dtype != "int64" or int(ends[2]):
                yield call(*ends, dtype=dtype)
    yield call(0.5, 3)


@cases("arange.start_out")
def _arange_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "int32", "int64"):
        yield call(0, 5, 2, out=np.zeros(3, dtype))
        yield call(5, 0.5, -2, out=np.zeros(3, dtype))


@cases("rand", "randn")
def _rand() -> Iterator[Call]:
    yield from (call(list(shape)) for shape in SHAPES)
    for dtype in (*FLOATS, "float16", "complex64", "complex128"):
        yield from (call([2, 3], dtype=dtype), call([], dtype=dtype))


@cases("rand.out", "randn.out")
def _rand_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "float16", "complex64"):
        yield from (call(list(s), out=np.zeros(s, dtype)) for s in SHAPES)
        yield call([3, 2], out=np.zeros((2, 3), dtype).T)


@cases("randperm")
def _randperm() -> Iterator[Call]:
    yield from (call(n) for n in (0, 1, 5))
    yield from (call(5, dtype=d) for d in (None, *FLOATS, "float16", "int32", "uint8"))
    yield from (call(256, dtype="uint8"), call(2049, dtype="float16"))


@cases("randperm.out")
def _randperm_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "int32", "int64", "uint8"):
        yield from (call(n, out=np.zeros(n, dtype)) for n in (0, 1, 5))


@cases("new_empty", "new_ones", "new_zeros")
def _new() -> Iterator[Call]:
    for dtype, shape in product(ALL, SHAPES):
        yield call(array((2, 3), dtype), list(shape))
        yield call(array((), "float32"), list(shape), dtype=dtype)


@cases("new_full")
def _new_full() -> Iterator[Call]:
    for given, value in product(_new(), FILLINGS):
        yield call(*given.args, value, **given.kwargs)


@cases("new_empty.out", "new_zeros.out")
def _new_out() -> Iterator[Call]:
    for dtype, shape in product(ALL, SHAPES):
        yield call(array((2, 3), dtype), list(shape), out=np.ones(shape, dtype))


@cases("new_full.out")
def _new_full_out() -> Iterator[Call]:
    for given in _new_out():
        yield call(*given.args, 2, **given.kwargs)


@cases("complex")
def _complex() -> Iterator[Call]:
    yield from (call(*pair) for pair in binary(FLOATS))


@cases("complex.out")
def _complex_out() -> Iterator[Call]:
    for dtype, wanted in zip(FLOATS, ("complex64", "complex128"), strict=True):
        for real, imag in binary((dtype,)):
            yield call(real, imag, out=result(real, imag).astype(wanted))
