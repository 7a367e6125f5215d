"""Calls of the products of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..op_arguments import NUMBERS, Call, array, call
from .registry import cases

#: Sizes of a product: rows, what is summed over, columns.
SIZES = ((2, 3, 4), (1, 1, 1), (2, 0, 3), (0, 2, 3), (3, 2, 0), (5, 1, 2))
DTYPES = (*NUMBERS, "uint8")


@cases("mm")
def _mm() -> Iterator[Call]:
    for dtype, (rows, inner, columns) in product(DTYPES, SIZES):
        one, two = array((rows, inner), dtype, 1), array((inner, columns), dtype, 2)
        yield call(one, two)
        yield call(array((inner, rows), dtype, 3).T, two)
    numbers = np.array([[np.nan, 1.0], [np.inf, -1.0]])
    yield call(numbers, numbers)


@cases("mm.out")
def _mm_out() -> Iterator[Call]:
    for given in _mm():
        one, two = given.args
        shape = (one.shape[0], two.shape[1])
        yield call(one, two, out=np.ones(shape, one.dtype))
        yield call(one, two, out=np.ones(shape[::-1], one.dtype).T)


@cases("bmm")
def _bmm() -> Iterator[Call]:
    for dtype, (rows, inner, columns), count in product(DTYPES, SIZES, (0, 1, 3)):
        one = array((count, rows, inner), dtype, 1)
        yield call(one, array((count, inner, columns), dtype, 2))


@cases("bmm.out")
def _bmm_out() -> Iterator[Call]:
    for given in _bmm():
        one, two = given.args
        shape = (*one.shape[:2], two.shape[2])
        yield call(one, two, out=np.ones(shape, one.dtype))


@cases("addmm_")
def _in_place() -> Iterator[Call]:
    factors: tuple[dict[str, int], ...] = (
        {},
        {"beta": 2},
        {"alpha": 3},
        {"beta": 0, "alpha": 2},
        {"alpha": 0},
    )
    for given, named in product(_mm(), factors):
        one, two = given.args
        shape = (one.shape[0], two.shape[1])
        yield call(array(shape, str(one.dtype), 4), one, two, **named)
    one, two = array((2, 2), "float64", 1), array((2, 2), "float64", 2)
    nan = np.full((2, 2), np.nan)
    yield from (call(nan, one, two, beta=0), call(one, nan, two, alpha=0))
    for dtype, beta, alpha in (
        *(("int64", 2.5, 1.5), ("int64", True, 2), ("float32", 0.5, 0.25)),
        ("complex64", 1j, 2 - 1j),
    ):
        numbers = [array((2, 2), dtype, seed) for seed in range(3)]
        yield call(*numbers, beta=beta, alpha=alpha)


@cases("addmm")
def _addmm() -> Iterator[Call]:
    yield from _in_place()
    for shape in ((), (1,), (4,), (2, 1), (1, 4)):
        numbers = array(shape, "float32")
        one, two = array((2, 3), "float32", 1), array((3, 4), "float32", 2)
        yield from (call(numbers, one, two), call(numbers, one, two, beta=3))


@cases("addmm.out")
def _addmm_out() -> Iterator[Call]:
    for given in _addmm():
        one, two = given.args[1:]
        out = np.ones((one.shape[0], two.shape[1]), one.dtype)
        yield call(*given.args, **given.kwargs, out=out)


@cases("mv")
def _mv() -> Iterator[Call]:
    for dtype, (rows, inner, _) in product(DTYPES, SIZES):
        vector = array((inner,), dtype, 2)
        yield call(array((rows, inner), dtype, 1), vector)
        yield call(array((inner, rows), dtype, 3).T, vector)


@cases("mv.out")
def _mv_out() -> Iterator[Call]:
    for given in _mv():
        matrix, vector = given.args
        yield call(matrix, vector, out=np.ones(len(matrix), matrix.dtype))


@cases("dot")
def _dot() -> Iterator[Call]:
    for dtype, size in product(DTYPES, (0, 1, 5)):
        yield call(array((size,), dtype, 1), array((size,), dtype, 2))
        yield call(array((2 * size,), dtype, 1)[::2], array((size,), dtype, 2))


@cases("dot.out")
def _dot_out() -> Iterator[Call]:
    for given in _dot():
        yield call(*given.args, out=np.ones((), given.args[0].dtype))


@cases("outer")
def _outer() -> Iterator[Call]:
    for one, two in product((*DTYPES, "bool"), repeat=2):
        yield call(array((3,), one, 1), array((2,), two, 2))
    yield call(array((0,), "float32"), array((2,), "float32"))


@cases("outer.out")
def _outer_out() -> Iterator[Call]:
    for dtype in DTYPES:
        out = np.ones((3, 2), dtype)
        yield call(array((3,), dtype, 1), array((2,), dtype, 2), out=out)


#: Shapes that are multiplied: vectors, matrices, and arrays of matrices.
FACTORS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *(((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4))),
    *(((5, 2, 3), (3,)), ((5, 2, 3), (3, 4)), ((3,), (5, 3, 4)), ((2, 3), (5, 3, 4))),
    *(((5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4))),
    *(((0, 2, 3), (0, 3, 4)), ((5, 2, 0), (0, 4)), ((5, 2, 0), (5, 0, 4))),
    *(((2, 1, 2, 3), (1, 5, 3, 1)), ((0,), (0,)), ((2, 5, 2, 3), (3,))),
)


@cases("matmul")
def _matmul() -> Iterator[Call]:
    for dtype, (one, two) in product(DTYPES, FACTORS):
        yield call(array(one, dtype, 1), array(two, dtype, 2))
    turned = array((3, 2, 5), "float32").T
    yield call(turned, array((2, 3), "float32").T)
    yield call(turned, array((2, 3, 1), "float32").T)


@cases("matmul.out")
def _matmul_out() -> Iterator[Call]:
    for dtype, (one, two) in product(("float32", "int64"), FACTORS):
        factors = array(one, dtype, 1), array(two, dtype, 2)
        yield call(*factors, out=np.ones(np.matmul(*factors).shape, dtype))
