"""Calls of the reduction operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..op_arguments import (
    ALL,
    FLOATS,
    NUMBERS,
    Array,
    Call,
    array,
    call,
    dims,
    special,
    unary,
)
from .registry import cases

#: What has an order.
ORDERED = (*FLOATS, "int32", "int64", "uint8", "bool")


def single_dims(numbers: Array) -> Iterator[int]:
    """Yield every dimension from either end; one without dimensions has 0 and -1."""
    yield from range(-max(numbers.ndim, 1), max(numbers.ndim, 1))


def searchable(dtypes: tuple[str, ...]) -> Iterator[tuple[Array, int]]:
    """Yield arrays and dimensions that have elements."""
    for numbers in unary(dtypes):
        for dim in single_dims(numbers):
            if numbers.ndim == 0 or numbers.shape[dim]:
                yield numbers, dim


def finite(dtypes: tuple[str, ...]) -> Iterator[Array]:
    """Yield arrays that have a mean: complex infinities are added up in any order."""
    yield from (numbers for numbers in unary(dtypes) if np.isfinite(numbers).all())


@cases("sum", "prod")
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


@cases("sum.out", "prod.out")
def _sum_all_out() -> Iterator[Call]:
    for numbers in unary(NUMBERS):
        wide = numbers.dtype if numbers.dtype.kind in "fc" else "int64"
        yield call(numbers, out=np.zeros((), wide))
    yield call(array((4,), "int64"), dtype="float32", out=np.zeros((), "float32"))


@cases("prod.dim_int")
def _prod_dim() -> Iterator[Call]:
    for numbers in unary((*ALL, "int8", "uint8")):
        for dim in single_dims(numbers):
            yield from (call(numbers, dim), call(numbers, dim, True))
    yield call(array((2, 3), "float64"), 0, dtype="int64")
    yield call(array((2, 3), "float64"), 0, dtype="bool")


@cases("prod.int_out")
def _prod_out() -> Iterator[Call]:
    for dtype in ("float64", "float32", "int64", "complex64"):
        yield call(array((2, 3), "float64"), 0, out=np.zeros(3, dtype))
        out = np.zeros((2, 1), dtype)
        yield call(array((2, 3), "float64"), -1, True, dtype=dtype, out=out)


@cases("cumsum")
def _cumsum() -> Iterator[Call]:
    for numbers in unary((*ALL, "int8", "uint8")):
        yield from (call(numbers, dim) for dim in single_dims(numbers))
    yield from (call(array((2, 3), "float64"), 0, dtype=d) for d in ("int64", "int8"))
    yield call(array((), "float64"), 0, dtype="complex64")


@cases("cumsum_")
def _cumsum_() -> Iterator[Call]:
    for numbers in unary((*NUMBERS, "int8", "uint8")):
        yield from (call(numbers, dim) for dim in single_dims(numbers))
    yield call(array((2, 3), "int8"), 1, dtype="int8")


@cases("cumsum.out")
def _cumsum_out() -> Iterator[Call]:
    for dtype in ("float64", "float32", "int64", "complex64"):
        for shape in ((2, 3), (3, 2), (4,), (), (0, 2)):
            yield call(array(shape, "float64"), -1, out=np.zeros(shape, dtype))
    out = np.zeros((3, 2), "float32").T
    yield call(array((2, 3), "int64"), 0, dtype="float32", out=out)


@cases("mean")
def _mean() -> Iterator[Call]:
    yield from map(call, finite((*FLOATS, "float16", "complex64")))
    yield from (call(special("float64")), call(np.full(9, 60000, "float16")))
    for dtype in ("int64", "bool", "float64"):
        for target in ("float32", "float16", "complex128"):
            yield call(array((2, 3), dtype), dtype=target)


@cases("mean.dim")
def _mean_dim() -> Iterator[Call]:
    for numbers in finite((*FLOATS, "float16", "complex64")):
        for dim in dims(numbers.ndim):
            yield from (call(numbers, dim), call(numbers, dim, True))
    yield call(array((2, 3), "int64"), [1], dtype="float32")


@cases("mean.dtype_out")
def _mean_all_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "complex64"):
        yield call(array((2, 3), "float32"), out=np.zeros((), dtype))
        yield call(array((2, 3), "int64"), dtype=dtype, out=np.zeros((), dtype))


@cases("mean.out")
def _mean_out() -> Iterator[Call]:
    for dtype in (*FLOATS, "complex64"):
        for dim, shape in ((0, (3,)), ([-1], (2,)), (None, ())):
            yield call(array((2, 3), "float32"), dim, out=np.zeros(shape, dtype))
        out = np.zeros((2, 1), dtype)
        yield call(array((2, 3), "int64"), 1, True, dtype=dtype, out=out)


@cases("any")
def _any() -> Iterator[Call]:
    yield from map(call, unary((*ALL, "uint8", "int8")))
    yield from (call(np.zeros((2, 3), dtype)) for dtype in (*ALL, "uint8"))
    yield call(np.array([np.nan]))


@cases("any.dim")
def _any_dim() -> Iterator[Call]:
    for numbers in unary((*ALL, "uint8")):
        for dim in single_dims(numbers):
            yield from (call(numbers, dim), call(numbers, dim, True))


@cases("any.dims")
def _any_dims() -> Iterator[Call]:
    for numbers in unary((*ALL, "uint8")):
        for dim in dims(numbers.ndim):
            if not isinstance(dim, int):
                yield from (call(numbers, dim), call(numbers, dim, True))


@cases("any.all_out")
def _any_all_out() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int64", "bool", "uint8")):
        yield from (call(numbers, out=np.zeros((), d)) for d in ("bool", "uint8"))


@cases("any.out")
def _any_out() -> Iterator[Call]:
    for numbers in (array((2, 3), dtype) for dtype in (*ALL, "uint8")):
        for dtype in ("bool", "uint8"):
            if numbers.dtype.kind != "c" or dtype == "bool":
                yield call(numbers, 0, out=np.zeros(3, dtype))
                yield call(numbers, -1, True, out=np.zeros((2, 1), dtype))


@cases("any.dims_out")
def _any_dims_out() -> Iterator[Call]:
    for numbers in (array((2, 3), dtype) for dtype in (*ALL, "uint8")):
        yield call(numbers, [0, 1], out=np.zeros((), "bool"))
        yield call(numbers, [], out=np.zeros((2, 3), "bool"))
        yield call(numbers, None, True, out=np.zeros((1, 1), "bool"))
        yield call(numbers, [1], out=np.zeros(2, "bool"))


@cases("max", "min")
def _max() -> Iterator[Call]:
    for numbers in unary(ORDERED):
        if numbers.size:
            yield call(numbers)
    yield call(np.array([np.inf, 1.0]))


@cases("max.dim", "min.dim")
def _max_dim() -> Iterator[Call]:
    for numbers, dim in searchable(ORDERED):
        yield from (call(numbers, dim), call(numbers, dim, True))


def _two_results(first: str, second: str) -> Iterator[Call]:
    for dim, keepdim, shape in ((0, False, (3,)), (-1, True, (2, 1))):
        for dtype in ("float32", "int64"):
            outs = {first: np.zeros(shape, dtype), second: np.zeros(shape, "int64")}
            yield call(array((2, 3), dtype), dim, keepdim, **outs)


@cases("max.dim_max")
def _max_dim_out() -> Iterator[Call]:
    yield from _two_results("max", "max_values")


@cases("min.dim_min")
def _min_dim_out() -> Iterator[Call]:
    yield from _two_results("min", "min_indices")


@cases("amax", "amin")
def _amax() -> Iterator[Call]:
    for numbers in unary(ORDERED):
        if numbers.size:
            yield call(numbers)
            for dim in dims(numbers.ndim):
                if dim is not None:
                    yield from (call(numbers, dim), call(numbers, dim, True))
    yield from (call(array((3, 0), "float32"), 0), call(array((3, 0), "int64"), [0]))


@cases("amax.out", "amin.out")
def _amax_out() -> Iterator[Call]:
    for numbers in (array((2, 3), dtype) for dtype in ORDERED):
        yield call(numbers, [0], out=np.zeros(3, numbers.dtype))
        yield call(numbers, [], True, out=np.zeros((1, 1), numbers.dtype))


@cases("argmax", "argmin")
def _argmax() -> Iterator[Call]:
    for numbers, dim in searchable((*FLOATS, "int32", "int64", "uint8")):
        yield from (call(numbers, dim), call(numbers, dim, True))
        if numbers.size:
            yield from (call(numbers), call(numbers, None, True))


@cases("argmax.out", "argmin.out")
def _argmax_out() -> Iterator[Call]:
    for numbers in (array((2, 3), dtype) for dtype in (*FLOATS, "int32", "int64")):
        yield call(numbers, 0, out=np.zeros(3, "int64"))
        yield call(numbers, -1, True, out=np.zeros((2, 1), "int64"))
        yield call(numbers, out=np.zeros((), "int64"))


@cases("var.correction", "var_mean.correction")
def _var() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "float16", "complex64")):
        if numbers.dtype.kind != "c" or np.isfinite(numbers).all():
            for dim in dims(numbers.ndim):
                yield call(numbers, dim)
                yield call(numbers, dim, correction=0.5, keepdim=True)
    for correction in (None, 0, 1, 2, 3, 5, 2.5, -1, True):
        yield call(np.array([1.0, 2.0, 4.0]), correction=correction)
        yield call(np.array([2.0, 2.0, 2.0]), correction=correction)
    yield call(np.full(9, 300, "float16") * np.arange(9, dtype="float16"))


@cases("var")
def _var_all() -> Iterator[Call]:
    for numbers in finite((*FLOATS, "complex64")):
        yield from (call(numbers), call(numbers, False), call(numbers, unbiased=True))


@cases("var.dim")
def _var_dim() -> Iterator[Call]:
    for numbers in finite((*FLOATS, "complex64")):
        for dim in dims(numbers.ndim):
            yield from (call(numbers, dim), call(numbers, dim, False, True))


@cases("var.out")
def _var_dim_out() -> Iterator[Call]:
    for dtype in FLOATS:
        yield call(array((2, 3), dtype), [0], out=np.zeros(3, dtype))
        yield call(array((2, 3), dtype), 1, False, True, out=np.zeros((2, 1), dtype))
    yield call(array((2, 3), "complex128"), None, out=np.zeros((), "complex128"))


@cases("var.correction_out")
def _var_out() -> Iterator[Call]:
    for dtype in FLOATS:
        numbers = array((2, 3), dtype)
        yield call(numbers, out=np.zeros((), dtype))
        yield call(numbers, [0], correction=0, out=np.zeros(3, dtype))
        yield call(numbers, [0, 1], keepdim=True, out=np.zeros((1, 1), dtype))


@cases("var_mean.correction_out")
def _var_mean_out() -> Iterator[Call]:
    for dtype in FLOATS:
        outs = {"out0": np.zeros(3, dtype), "out1": np.zeros(3, dtype)}
        yield call(array((2, 3), dtype), [0], correction=0, **outs)
