"""Calls of the operators that join, pad, repeat, turn and copy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..op_arguments import ALL, SHAPES, Call, array, call, unary
from .registry import cases


@cases("cat")
def _cat() -> Iterator[Call]:
    for dtype in ALL:
        one, two = array((2, 3), dtype, 1), array((2, 3), dtype, 2)
        yield from (call([one, two], dim) for dim in range(-2, 2))
        yield call([one, array((0, 3), dtype), two[:1]])
        yield call([array((0,), dtype), one, two], 1)
    yield call([array((0,), "float64"), array((2, 3), "float32")], 1)
    for first, second in product(ALL, ALL):
        yield call([array((2, 3), first), array((1, 3), second), array((0,), "bool")])
        yield call([array((2,), first), array((1,), second)])
    yield call([array((0,), "float32"), array((0,), "float32")])


@cases("cat.out")
def _cat_out() -> Iterator[Call]:
    for dtype in ALL:
        one, two = array((2, 3), dtype, 1), array((2, 3), dtype, 2)
        yield call([one, two], out=np.zeros((4, 3), dtype))
        yield call([one, array((0,), dtype), two], -1, out=np.zeros((2, 6), dtype))


@cases("stack")
def _stack() -> Iterator[Call]:
    for dtype in ALL:
        for shape in SHAPES:
            items = [array(shape, dtype, seed) for seed in range(3)]
            for dim in range(-len(shape) - 1, len(shape) + 1):
                yield call(items, dim)


@cases("stack.out")
def _stack_out() -> Iterator[Call]:
    for dtype in ALL:
        items = [array((2, 3), dtype, 1), array((2, 3), dtype, 2)]
        yield call(items, out=np.zeros((2, 2, 3), dtype))
        yield call(items, -1, out=np.zeros((2, 3, 2), dtype))


@cases("constant_pad_nd")
def _constant_pad_nd() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield call(numbers, [])
        yield call(numbers, [1, 2] * numbers.ndim, 1)
        if numbers.ndim:
            yield from (call(numbers, pad) for pad in ([2, 0], [0, 1], [0, 0]))
    table = array((3, 4), "float32")
    for pad in ([-1, -2], [-4, 1], [1, -1, -2, 3], [0, 0, -1, -2], [-2, -2]):
        yield from (call(table, pad, 5), call(table, pad, -0.5))
    yield call(array((2,), "int64"), [1, 1], 1.5)
    yield call(array((2,), "complex64"), [1, 1], 1j)
    yield call(array((2,), "bool"), [1, 1], 2)


@cases("flip")
def _flip() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield from (call(numbers, []), call(numbers, list(range(numbers.ndim))))
        yield call(numbers, [-1])
    yield from (call(array((2, 3, 4), "float32"), dims) for dims in ([1], [-1, 0]))


@cases("repeat")
def _repeat() -> Iterator[Call]:
    for numbers in unary(ALL):
        for count in (0, 1, 2):
            yield call(numbers, [count] * numbers.ndim)
            yield call(numbers, [2, *[count] * numbers.ndim])
    yield call(array((2, 3), "float32"), [1, 0, 3, 2])


@cases("clone")
def _clone() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield call(numbers)
        yield call(numbers, memory_format="contiguous_format")
        yield call(numbers, memory_format="preserve_format")


@cases("_to_copy")
def _to_copy() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield call(numbers)
    for before, after in product(("float32", "int64", "bool"), ALL):
        yield call(array((2, 3), before), dtype=after)
    yield call(array((2, 3), "float32").T, memory_format="contiguous_format")


@cases("copy", "copy_")
def _copy() -> Iterator[Call]:
    for before, after in product(("float32", "int64", "bool"), ALL):
        yield call(array((2, 3), after, 1), array((2, 3), before, 2))
    for shape, source in (((2, 3), (3,)), ((2, 3), ()), ((3, 0), (1,)), ((), ())):
        yield call(array(shape, "float32"), array(source, "float64"))
    yield call(array((2, 3), "float32").T, array((3, 1), "float32"), True)


@cases("resize_")
def _resize() -> Iterator[Call]:
    for shape, sizes in (
        ((), ([], [1], [1, 1])),
        ((4,), ([4], [2, 2], [1, 4, 1])),
        ((2, 3), ([2, 3], [3, 2], [6])),
        ((3, 0), ([0], [0, 5])),
    ):
        yield from (call(array(shape, "float32"), size) for size in sizes)
    yield call(array((2, 3), "float32").T, [6])
    yield call(array((4,), "int64"), [2, 2], memory_format="contiguous_format")


@cases("_local_scalar_dense")
def _local_scalar_dense() -> Iterator[Call]:
    for dtype in ALL:
        yield from (call(array(shape, dtype)) for shape in ((), (1,), (1, 1)))


@cases("to.dtype")
def _to() -> Iterator[Call]:
    # NumPy warns where a complex number is made real.
    pairs = [pair for pair in product(ALL, repeat=2) if pair[0] != "complex64"]
    for dtype, wanted in (*pairs, ("complex64", "complex64")):
        yield call(array((2, 3), dtype), wanted)
        yield call(array((2, 3), dtype).T, wanted, False, True)
    yield call(array((2, 3), "float32").T, "float64", True, False, "contiguous_format")
    yield call(array((2, 3), "float32"), "float32", memory_format="preserve_format")
