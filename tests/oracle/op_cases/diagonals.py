"""Calls of operators about diagonals, norms, and what is finite."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..op_arguments import ALL, FLOATS, NUMBERS, Call, array, binary, call, dims, unary
from .registry import cases

#: Shapes of matrices and of arrays of these.
MATRICES = ((2, 3), (3, 3), (3, 0), (2, 3, 4), (1, 1))


@cases("tril", "tril_", "triu", "triu_")
def _triangles() -> Iterator[Call]:
    for dtype, shape in product(ALL, MATRICES):
        for diagonal in (0, 1, -1, 7, -7):
            yield call(array(shape, dtype), diagonal)


@cases("tril.out", "triu.out")
def _triangles_out() -> Iterator[Call]:
    for dtype, shape in product(ALL, MATRICES):
        yield call(array(shape, dtype), 1, out=np.ones(shape, dtype))


@cases("diag_embed")
def _diag_embed() -> Iterator[Call]:
    for shape, offset in product(((3,), (0,), (2, 3)), (0, 1, -2)):
        yield call(array(shape, "float32"), offset)
        yield call(array(shape, "float32"), offset, 0, -1)
        yield call(array(shape, "float32"), offset, -1, 0)
    yield from (call(array((2, 3), dtype), 0, 0, 1) for dtype in ALL)


@cases("diag_embed.out")
def _diag_embed_out() -> Iterator[Call]:
    for dtype in ALL:
        yield call(array((2, 3), dtype), 1, out=np.ones((2, 4, 4), dtype))


@cases("diagonal_scatter")
def _diagonal_scatter() -> Iterator[Call]:
    for dtype, offset in product(ALL, (0, 1, -1)):
        numbers = array((3, 4), dtype, 1)
        size = numbers.diagonal(offset).size
        yield call(numbers, array((size,), dtype, 2), offset)
    yield call(array((2, 3, 3), "float32"), array((2, 3), "float32"), 0, 1, 2)


@cases("diagonal_scatter.out")
def _diagonal_scatter_out() -> Iterator[Call]:
    for dtype in ALL:
        numbers = array((3, 3), dtype, 1)
        yield call(numbers, array((3,), dtype, 2), out=np.ones((3, 3), dtype))


@cases("masked_select")
def _masked_select() -> Iterator[Call]:
    for numbers, other in binary(ALL):
        yield call(numbers, other.astype(bool))


@cases("masked_select.out")
def _masked_select_out() -> Iterator[Call]:
    mask = np.array([[True], [False]])
    for dtype in ALL:
        yield call(array((2, 3), dtype), mask, out=np.ones(3, dtype))


@cases("contiguous", "ravel")
def _contiguous() -> Iterator[Call]:
    yield from map(call, unary(("float32", "int64")))
    yield call(array((3, 4), "float32")[:, ::2])


#: Orders of norms.
ORDERS = (2, 1, 0, np.inf, -np.inf, 3, 0.5, -1)


@cases("linalg_vector_norm")
def _vector_norm() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "complex64")):
        for order in ORDERS if numbers.size else ORDERS[:3]:
            yield from (call(numbers, order, dim) for dim in dims(numbers.ndim))
    yield call(array((2, 3), "float32"), 2, [0], True, dtype="float64")


@cases("linalg_vector_norm.out")
def _vector_norm_out() -> Iterator[Call]:
    for dtype, order in product(FLOATS, ORDERS):
        yield call(array((2, 3), dtype), order, [1], out=np.ones(2, dtype))


@cases("norm.Scalar")
def _norm() -> Iterator[Call]:
    for dtype, order in product((*FLOATS, "complex64"), ORDERS):
        yield call(array((2, 3), dtype), order)


@cases("norm.ScalarOpt_dim")
def _norm_dim() -> Iterator[Call]:
    for dtype, order in product((*FLOATS, "complex64"), (None, *ORDERS)):
        yield call(array((2, 3), dtype), order, [0])
        yield call(array((2, 3), dtype), order, [0, 1], True)


@cases("nan_to_num", "nan_to_num_")
def _nan_to_num() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield call(numbers)
        yield call(numbers, 1.0, 2.0, -2.0)


@cases("nan_to_num.out")
def _nan_to_num_out() -> Iterator[Call]:
    for numbers in unary(ALL):
        yield call(numbers, posinf=7.0, out=np.zeros_like(numbers))


@cases("all")
def _all() -> Iterator[Call]:
    yield from map(call, unary((*ALL, "uint8")))


@cases("all.dim")
def _all_dim() -> Iterator[Call]:
    for numbers in unary((*ALL, "uint8")):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            yield from (call(numbers, dim), call(numbers, dim, True))


@cases("all.dims")
def _all_dims() -> Iterator[Call]:
    for numbers in unary((*ALL, "uint8")):
        for dim in ([], None, [0]):
            yield from (call(numbers, dim), call(numbers, dim, True))
    yield call(array((2, 3, 4), "bool"), [0, -1])


#: Dtypes of elements and of `out`: only whole numbers are the same as uint8.
OUTS = (*product(ALL, ("bool",)), ("int64", "uint8"), ("bool", "uint8"))


@cases("all.all_out")
def _all_out() -> Iterator[Call]:
    for dtype, written in OUTS:
        yield call(array((2, 3), dtype), out=np.zeros((), written))


@cases("all.out")
def _all_dim_out() -> Iterator[Call]:
    for dtype, written in OUTS:
        yield call(array((2, 3), dtype), 0, out=np.zeros(3, written))


@cases("all.dims_out")
def _all_dims_out() -> Iterator[Call]:
    for dtype, written in OUTS:
        yield call(array((2, 3), dtype), [0, 1], out=np.zeros((), written))


@cases("cumprod")
def _cumprod() -> Iterator[Call]:
    for numbers in unary(ALL):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            yield call(numbers, dim)
            yield call(numbers, dim, dtype="complex64")


@cases("cumprod_")
def _cumprod_() -> Iterator[Call]:
    for numbers in unary(NUMBERS):
        yield call(numbers, -1)


@cases("cumprod.out")
def _cumprod_out() -> Iterator[Call]:
    for numbers in unary(NUMBERS):
        yield call(numbers, 0, out=np.zeros_like(numbers))
