"""Calls of the operators that pick and write by indices and masks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from ..op_arguments import ALL, Call, array, call, special, unary
from .registry import cases

#: The reductions, each with the dtypes that it is not defined for.
REDUCTIONS: dict[str, tuple[str, ...]] = {
    "sum": (),
    "prod": (),
    "mean": ("bool",),
    "amax": ("complex64",),
    "amin": ("complex64",),
}


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


@cases("index.Tensor_out")
def _index_out() -> Iterator[Call]:
    for dtype in ALL:
        table, rows = array((2, 3), dtype), np.array([0, -1, 1])
        yield call(table, [rows], out=np.zeros((3, 3), dtype))
        yield call(table, [None, rows[:0]], out=np.zeros((2, 0), dtype))
        yield call(table, [np.array(0), rows], out=np.zeros((3,), dtype))


@cases("index_put", "index_put_")
def _index_put() -> Iterator[Call]:
    rows, mask = np.array([0, 1]), np.array([True, False, True])
    for dtype, accumulate in product(ALL, (False, True)):
        for indices, shape in (
            *(([rows], (2, 3)), ([rows], (3,)), ([rows], ()), ([rows[:0]], (0, 3))),
            *(([None, rows], (2, 2)), ([None, mask], (2, 1)), ([rows, -rows], (2,))),
            *(([np.array(0)], (3,)), ([np.array(1), np.array(-2)], ())),
            ([rows[:, None], rows], (1, 2)),
        ):
            values = array(shape, dtype, 2)
            yield call(array((2, 3), dtype), indices, values, accumulate)
    twice = np.array([1, 0, 1, 1])
    for dtype in ALL:
        yield call(array((2,), dtype), [twice], array((4,), dtype, 2), True)


@cases("index_select")
def _index_select() -> Iterator[Call]:
    for numbers in unary(ALL):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            size = numbers.shape[dim] if numbers.ndim else 1
            index = np.arange(size)[::-1].copy()
            yield call(numbers, dim, index)
            yield call(numbers, dim, index.astype("int32")[: size // 2 or 1])
    yield call(array((2, 3), "float32"), 1, np.array(2))
    yield call(array((2, 3), "float32"), 0, np.array([1, 1, 0, 1]))


@cases("index_select.out")
def _index_select_out() -> Iterator[Call]:
    for dtype in ALL:
        index = np.array([1, 1, 0])
        yield call(array((2, 3), dtype), 0, index, out=np.zeros((3, 3), dtype))


@cases("nonzero")
def _nonzero() -> Iterator[Call]:
    yield from map(call, unary(ALL))


@cases("nonzero.out")
def _nonzero_out() -> Iterator[Call]:
    yield call(np.array([[0, 5], [6, 0]]), out=np.zeros((2, 2), "int64"))


@cases("masked_scatter")
def _masked_scatter() -> Iterator[Call]:
    yield from _in_place_masks()
    yield call(array((3,), "float32"), np.ones((2, 1), bool), array((3, 2), "float32"))


@cases("masked_scatter_")
def _in_place_masks() -> Iterator[Call]:
    for dtype, shape in product(ALL, ((), (4,), (2, 3), (3, 0), (2, 1, 3))):
        numbers, source = array(shape, dtype), array((3, 4), dtype, 2)
        yield call(numbers, array(shape, "bool", 3), source)
        yield call(numbers, np.array(True), source)
        yield call(numbers, np.zeros((1,) * len(shape), bool), source[:0])
    yield call(array((2, 3), "float32").T, array((2,), "bool"), array((6,), "float32"))


@cases("slice_scatter")
def _slice_scatter() -> Iterator[Call]:
    for dtype in ALL:
        numbers = array((4, 3), dtype)
        yield call(numbers, array((4, 3), dtype, 2))
        yield call(numbers, array((2, 3), dtype, 2), 0, -3, 9, 2)
        yield call(numbers, array((4, 0), dtype, 2), -1, 2, 1)
    yield call(array((3,), "float32"), array((2,), "int64"), 0, 1)


@cases("select_scatter")
def _select_scatter() -> Iterator[Call]:
    for dtype in ALL:
        numbers = array((2, 3), dtype)
        yield call(numbers, array((3,), dtype, 2), 0, -1)
        yield call(numbers.T, array((3,), dtype, 2), 1, 0)
    yield call(array((3,), "float32"), array((), "int64"), 0, 1)


def _along() -> Iterator[tuple[tuple[int, ...], int, npt.NDArray[np.int64]]]:
    """Yield shapes, a dimension, and an index along it."""
    yield (), 0, np.array(0)
    yield (), -1, np.array([0])
    yield (4,), 0, np.array([3, 0, 1])
    yield (4,), -1, np.array(2)
    yield (4,), 0, np.zeros(0, "int64")
    yield (2, 3), 0, np.array([[0, 1, 0], [1, 0, 1]])
    yield (2, 3), 0, np.array([[1]])
    yield (2, 3), 1, np.array([[2], [0]])
    yield (2, 3), -1, np.array([[2, 1]])
    yield (2, 1, 3), 2, np.array([[[2, 0]], [[1, 2]]])


@cases("gather")
def _gather() -> Iterator[Call]:
    for dtype, (shape, dim, index) in product(ALL, _along()):
        yield call(array(shape, dtype), dim, index)
    yield call(array((2, 3), "float32").T, 1, np.array([[0, 1], [1, 1]], "int32"))
    yield call(array((3, 2), "float32"), 0, np.zeros((5, 2), "int64"), sparse_grad=True)


@cases("gather.out")
def _gather_out() -> Iterator[Call]:
    for dtype, (shape, dim, index) in product(ALL, _along()):
        yield call(array(shape, dtype), dim, index, out=np.zeros(index.shape, dtype))


@cases("scatter.src", "scatter_.src")
def _scatter_src() -> Iterator[Call]:
    for dtype, (shape, dim, index) in product(ALL, _along()):
        yield call(array(shape, dtype), dim, index, array(index.shape, dtype, 2))
    larger = array((4, 5), "float32", 2)
    yield call(array((2, 3), "float32").T, 0, np.array([[2, 0]], "int32"), larger)


@cases("scatter.src_out", "scatter_add.out")
def _scatter_src_out() -> Iterator[Call]:
    for given in _scatter_src():
        yield call(*given.args, out=np.zeros_like(given.args[0]))


@cases("scatter.value", "scatter_.value")
def _scatter_value() -> Iterator[Call]:
    for dtype, (shape, dim, index) in product(ALL, _along()):
        yield call(array(shape, dtype), dim, index, 1)
    yield call(array((4,), "int64"), 0, np.array([1, 1]), 2.5)
    yield call(array((4,), "float32"), 0, np.array([1, 1]), np.inf)


@cases("scatter.value_out")
def _scatter_value_out() -> Iterator[Call]:
    for given in _scatter_value():
        yield call(*given.args, out=np.zeros_like(given.args[0]))


@cases("scatter_add", "scatter_add_")
def _scatter_add() -> Iterator[Call]:
    yield from _scatter_src()
    twice = np.array([1, 0, 1, 1])
    for dtype in ALL:
        yield call(array((2,), dtype), 0, twice, array((4,), dtype, 2))
    yield call(np.zeros(7), 0, np.array([0, 0, 1, 1, 2, 3, 3]), special("float64"))


@cases("scatter_reduce.two", "scatter_reduce_.two")
def _scatter_reduce() -> Iterator[Call]:
    twice = np.array([1, 0, 1, 1])
    for reduce, include_self in product(REDUCTIONS, (True, False)):
        for dtype in ALL:
            if dtype in REDUCTIONS[reduce]:
                continue
            numbers, src = array((3,), dtype), array((4,), dtype, 2)
            yield call(numbers, 0, twice, src, reduce, include_self=include_self)
            for shape, dim, index in _along():
                numbers, src = array(shape, dtype), array(index.shape, dtype, 2)
                yield call(numbers, dim, index, src, reduce, include_self=include_self)
        places, given = np.array([0, 0, 1, 1, 2, 3, 3]), special("float64")
        yield call(np.ones(7), 0, places, given, reduce, include_self=include_self)


@cases("scatter_reduce.two_out")
def _scatter_reduce_out() -> Iterator[Call]:
    for given in _scatter_reduce():
        yield call(*given.args, **given.kwargs, out=np.zeros_like(given.args[0]))
