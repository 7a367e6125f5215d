"""Calls of the view operators."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from ..op_arguments import ALL, FLOATS, SHAPES, Call, array, call, unary
from .registry import cases


@cases("alias", "conj", "detach", "numpy_T", "real", "sym_numel", "sym_storage_offset")
def _whole() -> Iterator[Call]:
    yield from map(call, unary(ALL))


@cases("sym_is_contiguous")
def _is_contiguous() -> Iterator[Call]:
    yield from map(call, unary(("float32",)))
    yield call(array((3, 4), "float32")[:, ::2])
    yield call(array((3, 4), "float32"), memory_format="contiguous_format")


@cases("sym_size.int", "sym_stride.int")
def _of_dim() -> Iterator[Call]:
    for numbers in unary(("float32", "complex64")):
        yield from (call(numbers, dim) for dim in range(-numbers.ndim, numbers.ndim))


@cases("as_strided")
def _as_strided() -> Iterator[Call]:
    for dtype in ALL:
        numbers = array((2, 3), dtype)
        yield call(numbers, [3, 2], [1, 3])
        yield call(numbers, [2, 2], [2, 1], 1)
        yield call(numbers.T, [6], [1])
        yield call(numbers, [4, 3], [1, 1], 0)
        yield call(numbers, [5], [0], 5)
    numbers = array((4,), "float32")
    for size, stride in (([], []), ([0], [9]), ([2, 0, 3], [1, 1, 1]), ([1], [50])):
        yield call(numbers, size, stride, 3)
    yield call(array((), "float32"), [1, 1], [1, 1])


@cases("diagonal")
def _diagonal() -> Iterator[Call]:
    for shape in ((2, 3), (3, 0), (2, 1, 3), (4, 4)):
        numbers = array(shape, "float32")
        for offset in (0, 1, -1, 5, -5):
            yield call(numbers, offset)
            yield call(numbers, offset, -1, 0)
    yield call(array((2, 3, 4), "float32"), 1, 0, 2)
    yield call(array((2, 3), "float32").T, -1)


@cases("expand")
def _expand() -> Iterator[Call]:
    for shape, sizes in (
        ((), ([], [1], [2, 3], [0])),
        ((1,), ([4], [-1], [2, 4], [3, -1], [0])),
        ((4,), ([4], [1, 4], [2, 1, -1])),
        ((2, 1, 3), ([2, 5, 3], [-1, -1, -1], [7, 2, 4, 3], [-1, 0, -1])),
        ((3, 0), ([3, 0], [2, -1, -1])),
    ):
        yield from (call(array(shape, "float32"), size) for size in sizes)
    yield call(array((2, 1), "float32").T, [4, 2], implicit=True)


@cases("permute")
def _permute() -> Iterator[Call]:
    yield call(array((), "float32"), [])
    yield call(array((4,), "float32"), [-1])
    for dims in permutations(range(-3, 0)):
        yield call(array((2, 3, 4), "float32"), list(dims))
        yield call(array((2, 0, 4), "float32"), [dim + 3 for dim in dims])


@cases("select.int")
def _select() -> Iterator[Call]:
    for shape in ((4,), (2, 3), (2, 1, 3)):
        for dim in range(-len(shape), len(shape)):
            for place in range(-shape[dim], shape[dim]):
                yield call(array(shape, "float32"), dim, place)
    yield call(array((2, 0), "float32"), 0, 1)
    yield call(array((2, 3), "float32").T, 0, 1)


@cases("slice.Tensor")
def _slice() -> Iterator[Call]:
    ends = (None, 0, 1, 3, -1, -3, 9, -9)
    for start, end, step in product(ends, ends, (1, 2, 7)):
        yield call(array((4,), "float32"), 0, start, end, step)
    yield call(array((4,), "float32"))
    for shape in SHAPES[1:]:
        for dim in range(-len(shape), len(shape)):
            yield call(array(shape, "float32"), dim, 1)
    yield call(array((2, 3), "float32").T, 0, 0, 3, 2)


@cases("split_with_sizes")
def _split_with_sizes() -> Iterator[Call]:
    for sizes in ([4], [1, 3], [0, 4, 0], [1, 1, 2]):
        yield call(array((4,), "float32"), sizes)
    for dim in (-1, 1):
        yield call(array((2, 3), "float32"), [2, 1], dim)
        yield call(array((3, 2), "float32").T, [2, 1], dim)
    yield call(array((0,), "float32"), [])
    yield call(array((3, 0), "float32"), [1, 2])


@cases("squeeze.dim")
def _squeeze_dim() -> Iterator[Call]:
    for numbers in unary(("float32",)):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            yield call(numbers, dim)


@cases("squeeze.dims")
def _squeeze_dims() -> Iterator[Call]:
    for dims in ([], [0], [-1], [0, -1], [1, 0, 2], [1]):
        yield call(array((1, 2, 1), "float32"), dims)
        yield call(array((1, 0, 1), "float32"), dims)
        yield call(array((2, 1, 3), "float32").transpose(2, 0, 1), dims)
    yield from (call(array((), "float32"), dims) for dims in ([], [0], [-1]))


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


@cases("split.Tensor")
def _split() -> Iterator[Call]:
    for shape in SHAPES[1:]:
        for dim in range(-len(shape), len(shape)):
            yield from (call(array(shape, "float32"), size, dim) for size in (1, 2, 9))
    yield call(array((0,), "float32"), 0)


@cases("imag", "view_as_real")
def _complex() -> Iterator[Call]:
    yield from map(call, unary(("complex64", "complex128")))


@cases("view_as_complex")
def _pairs() -> Iterator[Call]:
    for dtype in FLOATS:
        # PyTorch goes by strides even where there are no elements.
        shapes = (shape for shape in SHAPES if 0 not in shape)
        yield from (call(array((*shape, 2), dtype)) for shape in shapes)


@cases("reshape")
def _reshape() -> Iterator[Call]:
    for shape, sizes in (
        ((), ([], [1], [-1], [1, 1])),
        ((4,), ([4], [2, 2], [-1, 1], [2, -1])),
        ((2, 3), ([6], [3, 2], [-1], [1, 6], [2, 3])),
        ((3, 0), ([0], [0, 5], [2, 0])),
        ((2, 1, 3), ([2, 3], [6], [3, -1])),
    ):
        numbers = array(shape, "float32")
        for size in sizes:
            yield call(numbers, size)
            yield call(numbers.T, size)
    numbers = array((2, 3, 4), "float32").transpose(0, 2, 1)
    yield from (call(numbers, size) for size in ([2, 12], [2, 2, 2, 3], [24], [8, 3]))
    yield call(array((4, 6), "int64")[:, ::2], [2, 2, 3])
    yield call(np.broadcast_to(array((3, 1), "float32"), (3, 4)), [12])


@cases("flatten.using_ints")
def _flatten() -> Iterator[Call]:
    yield from map(call, unary(("float32", "int64")))
    numbers = array((2, 3, 4), "float32")
    for start, end in ((0, 0), (1, 1), (0, 1), (1, 2), (-2, -1), (-3, -2)):
        yield call(numbers, start, end)
        yield call(numbers.transpose(1, 0, 2), start, end)


@cases("movedim.int")
def _movedim() -> Iterator[Call]:
    for source, destination in product(range(-3, 3), repeat=2):
        yield call(array((2, 3, 4), "float32"), source, destination)
    yield call(array((), "float32"), 0, -1)


@cases("movedim.intlist")
def _movedim_list() -> Iterator[Call]:
    for source, destination in product(permutations(range(-3, 0), 2), repeat=2):
        yield call(array((2, 3, 4), "float32"), list(source), list(destination))
    yield call(array((2, 3), "float32"), [], [])
    yield call(array((), "float32"), [0], [0])


@cases("t")
def _t() -> Iterator[Call]:
    for shape in ((), (4,), (0,), (2, 3), (3, 0)):
        yield call(array(shape, "float32"))


@cases("mT")
def _matrix_transpose() -> Iterator[Call]:
    yield from (call(array(s, "float32")) for s in ((2, 3), (2, 3, 4), (0, 2, 1, 3)))
