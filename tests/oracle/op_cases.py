"""Calls of the shipped operators, to be made through keyslot and through PyTorch.

Each overload has a function that yields its cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .op_arguments import (
    ALL,
    FLOATS,
    NUMBERS,
    SHAPES,
    Call,
    array,
    binary,
    call,
    dims,
    in_place,
    result,
    scalars,
    special,
    unary,
)

Cases = Callable[[], Iterator[Call]]
CASES: dict[str, Cases] = {}


def cases(*names: str) -> Callable[[Cases], Cases]:
    """Register a function as the source of the cases of some overloads."""

    def register(function: Cases) -> Cases:
        CASES.update(dict.fromkeys(names, function))
        return function

    return register


# --- pointwise ------------------------------------------------------------------------


@cases("add.Tensor", "sub.Tensor")
def _add_tensor() -> Iterator[Call]:
    for left, right in binary(NUMBERS):
        yield call(left, right)
        yield from (call(left, right, alpha=n) for n in scalars(left.dtype.name))


@cases("add.Scalar", "sub.Scalar")
def _add_scalar() -> Iterator[Call]:
    for left in unary(NUMBERS):
        for number in scalars(left.dtype.name):
            yield call(left, number)
            yield call(left, number, 3)
    yield from (call(array((3,), "int64"), 0.5), call(array((3,), "int64"), 0.5, 1.5))


@cases("add_.Tensor")
def _add_tensor_() -> Iterator[Call]:
    for left, right in in_place(NUMBERS):
        yield from (call(left, right), call(left, right, alpha=2))


@cases("add_.Scalar")
def _add_scalar_() -> Iterator[Call]:
    for left in unary(NUMBERS):
        yield from (call(left, number, 2) for number in scalars(left.dtype.name))


@cases("add.out")
def _add_out() -> Iterator[Call]:
    for left, right in binary(NUMBERS):
        yield call(left, right, alpha=2, out=result(left, right))


@cases("mul.Tensor", "maximum", "max.other")
def _mul_tensor() -> Iterator[Call]:
    yield from (call(*pair) for pair in binary((*FLOATS, "int32", "int64", "bool")))


@cases("mul.Scalar")
def _mul_scalar() -> Iterator[Call]:
    for left in unary(NUMBERS):
        yield from (call(left, number) for number in scalars(left.dtype.name))
    yield from (call(array((3,), "bool"), 2), call(array((3,), "int64"), 0.5))


@cases("mul_.Tensor")
def _mul_tensor_() -> Iterator[Call]:
    yield from (call(*pair) for pair in in_place(ALL))


@cases("mul_.Scalar")
def _mul_scalar_() -> Iterator[Call]:
    for left in unary(NUMBERS):
        yield from (call(left, number) for number in scalars(left.dtype.name))


@cases("mul.out")
def _mul_out() -> Iterator[Call]:
    for left, right in binary(ALL):
        yield call(left, right, out=result(left, right))


@cases("div.Tensor")
def _div_tensor() -> Iterator[Call]:
    yield from (call(*pair) for pair in binary((*FLOATS, "int32", "int64", "bool")))


@cases("div.Scalar")
def _div_scalar() -> Iterator[Call]:
    for left in unary((*FLOATS, "int32", "int64")):
        yield from (call(left, number) for number in (2, -0.5))


@cases("div.Tensor_mode")
def _div_tensor_mode() -> Iterator[Call]:
    for mode in (None, "floor", "trunc"):
        for left, right in binary(FLOATS):
            yield call(left, right, rounding_mode=mode)
        for dtype in ("int32", "int64"):
            some = np.array([-3, -2, -1, 1, 2, 3], dtype=dtype)
            yield call(array((4, 1), dtype), some, rounding_mode=mode)


@cases("exp", "square")
def _exp() -> Iterator[Call]:
    yield from map(call, unary((*FLOATS, "int64", "complex64")))


@cases("neg", "square_")
def _neg() -> Iterator[Call]:
    yield from map(call, unary(NUMBERS))


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


# --- reduction ------------------------------------------------------------------------


@cases("sum")
def _sum() -> Iterator[Call]:
    for numbers in unary((*ALL, "int8", "uint8")):
        yield call(numbers)
    for dtype in ("float32", "int64", "bool", "complex128"):
        yield call(np.array([0.5, 0.75, -1.5]), dtype=dtype)


@cases("sum.dim_IntList")
def _sum_dim() -> Iterator[Call]:
    for numbers in unary(ALL):
        for dim in dims(numbers.ndim):
            yield from (call(numbers, dim), call(numbers, dim, True))
    yield call(array((2, 3), "float64"), [0], dtype="int64")
    yield call(array((2, 3), "uint8"), [0])


@cases("sum.IntList_out")
def _sum_out() -> Iterator[Call]:
    for dtype in ("float64", "float32", "int64"):
        for dim, shape in ((0, (3,)), ([-1], (2,)), (None, ())):
            yield call(array((2, 3), "float64"), dim, out=np.zeros(shape, dtype))
        out = np.zeros((2, 1), dtype)
        yield call(array((2, 3), "float64"), 1, True, dtype=dtype, out=out)


@cases("max")
def _max() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "int64", "bool")):
        if numbers.size:
            yield call(numbers)


@cases("max.dim")
def _max_dim() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "int64", "bool")):
        for dim in range(-max(numbers.ndim, 1), max(numbers.ndim, 1)):
            if numbers.ndim == 0 or numbers.shape[dim]:
                yield from (call(numbers, dim), call(numbers, dim, True))


@cases("max.dim_max")
def _max_dim_out() -> Iterator[Call]:
    for dim, keepdim, shape in ((0, False, (3,)), (-1, True, (2, 1))):
        for dtype in ("float32", "int64"):
            outs = {"max": np.zeros(shape, dtype), "max_values": np.zeros(shape, int)}
            yield call(array((2, 3), dtype), dim, keepdim, **outs)


@cases("var_mean.correction")
def _var_mean() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "complex64")):
        # What is undefined is so for NumPy with a warning of its own.
        if numbers.size and np.isfinite(numbers).all():
            for dim in dims(numbers.ndim):
                yield call(numbers, dim, correction=0)
                yield call(numbers, dim, correction=0.5, keepdim=True)
    yield from (call(array((4,), "float64")), call(array((2, 3), "float32"), [0]))


# --- shape ----------------------------------------------------------------------------


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


# --- creation -------------------------------------------------------------------------


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
