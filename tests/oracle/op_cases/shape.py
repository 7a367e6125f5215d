"""Calls of the shape operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import ALL, SHAPES, Call, array, call, unary
from .registry import cases


@cases("transpose.int")
def _transpose() -> Iterator[Call]:
    for numbers in unary(("float32",)):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            yield from (call(numbers, dim, 0), call(numbers, -1, dim))


@cases("unsqueeze")
def _unsqueeze() -> Iterator[Call]:
    for numbers in unary(("float32",)):
        for dim in range(-numbers.ndim - 1, numbers.ndim + 1):
            yield call(numbers, dim)


@cases("view")
def _view() -> Iterator[Call]:
    for shape, sizes in (
        ((), ([], [1], [1, 1], [-1])),
        ((4,), ([4], [2, 2], [-1, 2], [1, 4, 1])),
        ((2, 3), ([6], [3, 2], [-1], [1, 2, 3])),
        ((3, 0), ([0], [0, 5], [3, 0])),
    ):
        yield from (call(array(shape, "float32"), size) for size in sizes)
    for size in ([1, 3, 2], [3, 2, 1], [3, 1, 2]):
        yield call(array((2, 3), "float32").T, size)


@cases("cat")
def _cat() -> Iterator[Call]:
    for dtype in ALL:
        one, two = array((2, 3), dtype, 1), array((2, 3), dtype, 2)
        yield from (call([one, two], dim) for dim in range(-2, 2))
        yield call([one, array((0, 3), dtype), two[:1]])
        yield call([array((0,), dtype), one, two], 1)
    yield call([array((0,), "float64"), array((2, 3), "float32")], 1)
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


@cases("index.Tensor")
def _index() -> Iterator[Call]:
    cube = array((2, 3, 4), "float32")
    rows, columns, one = np.array([0, -1, 1]), np.array([[2], [0]]), np.array(1)
    mask = np.array([True, False, True])
    for indices in (
        *([rows], [rows, None], [None, rows], [None, None, columns]),
        *([rows, rows], [rows, columns, one], [rows, None, columns]),
        *([one], [None, one], [one, one, one], [rows[:0]]),
        *([None, mask], [cube > 0], [np.ones((2, 3), dtype=bool), rows[:1]]),
        *([None, mask, np.array([1, 3])], [np.zeros(2, dtype=bool)]),
    ):
        yield call(cube, indices)


@cases("split.Tensor")
def _split() -> Iterator[Call]:
    for shape in SHAPES[1:]:
        for dim in range(-len(shape), len(shape)):
            yield from (call(array(shape, "float32"), size, dim) for size in (1, 2, 9))
    yield call(array((0,), "float32"), 0)
