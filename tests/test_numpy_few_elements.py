"""Kernels that go another way for few elements than for many: both give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from keyslot import errors, ops
from keyslot.kernels.numpy.arrays import FEW

from .arrays import same

SIZES = [1, FEW, FEW + 1, 3 * FEW]
DTYPES = ["bool", "uint8", "int64", "float16", "float32", "float64"]


def arrays(size: int, dtype: str) -> list[Any]:
    """Return an array in several layouts: in a row, with gaps, backwards, turned."""
    numbers = np.random.default_rng(size).integers(-9, 9, 2 * size).astype(dtype)
    return [
        numbers[:size],
        numbers[::2],
        numbers[::-2],
        numbers[:size].reshape(1, size),
        numbers.reshape(size, 2)[:, :1].T,
        numbers.reshape(2, size).T,
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_extremes_and_signs(size: int, dtype: str) -> None:
    """Those that NumPy finds."""
    for array in arrays(size, dtype):
        same(ops.max(array), np.max(array))
        same(ops.min(array), np.min(array))
        same(ops.sign(array), array if dtype == "bool" else np.sign(array))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
@pytest.mark.parametrize("size", SIZES)
def test_nan_is_the_extreme_and_has_the_sign_zero(size: int, dtype: str) -> None:
    """Wherever it is, and whatever its own sign."""
    for nan in (np.nan, -np.nan):
        for array in arrays(size, dtype):
            array = array.copy()
            array.flat[size // 2] = nan
            same(ops.max(array), array.dtype.type(nan))
            same(ops.min(array), array.dtype.type(nan))
            expected = np.sign(array)
            expected.flat[size // 2] = 0
            same(ops.sign(array), expected)
            same(ops.sign(array, out=np.empty_like(array)), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
def test_signs_of_what_is_nearly_zero(size: int, dtype: str) -> None:
    """The least number has a sign, a negative zero has none, infinity has one."""
    least = np.nextafter(np.zeros(1, dtype), np.ones(1, dtype))[0]
    for number, sign in ((least, 1), (-least, -1), (-0.0, 0), (-np.inf, -1)):
        signs = ops.sign(np.full(size, number, dtype))
        same(signs, np.full(size, sign, dtype))
        assert not np.signbit(signs[signs == 0]).any()


def test_nothing_has_no_extreme_and_no_sign() -> None:
    """An empty array is refused as NumPy refuses it, or stays empty."""
    for operator in (ops.max, ops.min):
        with pytest.raises(ValueError, match="zero-size array to reduction operation"):
            operator(np.empty(0))
    same(ops.sign(np.empty((0, 2))), np.empty((0, 2)))


def test_arrays_without_dimensions() -> None:
    """They pass as arrays with one element, NumPy's scalars too."""
    for array in (np.array(-2.0), np.float64(-2.0)):
        same(ops.max(array), np.float64(-2.0))
        same(ops.sign(array), np.float64(-1.0))
    same(ops.sign(np.array(np.nan)), np.float64(0.0))
    with pytest.raises(errors.DtypeError, match="sign takes no arrays of dtype"):
        ops.sign(np.array([1j]))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("size", SIZES)
def test_picking(size: int, dtype: str) -> None:
    """Places may come in any order and layout; those that are not there are refused."""
    numbers = np.arange(float(size))
    places = np.random.default_rng(size).integers(0, size, 2 * size).astype(dtype)
    for index in (places[:size], places[::2], places[::-2], places[:0]):
        expected = numbers[index]
        same(ops.gather(numbers, 0, index), expected)
        same(ops.index_select(numbers, 0, index), expected)
        same(ops.index_select(numbers, -1, index), expected)
        same(
            ops.index_select(np.stack([numbers] * 2), 1, index),
            np.stack([expected] * 2),
        )
    for operator in (ops.gather, ops.index_select):
        for wrong, said in ((size, "out of bounds"), (-1, "is negative")):
            index = places[:size].copy()
            index[size // 2] = wrong
            with pytest.raises(IndexError, match=said):
                operator(numbers, 0, index)
        with pytest.raises(np.exceptions.AxisError):
            operator(numbers, 1, places)


@pytest.mark.parametrize("size", [*SIZES, 0])
def test_stacking(size: int) -> None:
    """Arrays of one shape, in any dtypes, along any dimension."""
    for dtypes in (["float64"] * 3, ["int8", "float32", "bool"]):
        given = [np.arange(size).reshape(1, size).T.astype(dtype) for dtype in dtypes]
        for dim in (0, 1, -1):
            same(ops.stack(given, dim), np.stack(given, dim))
        same(ops.stack([array[:, 0] for array in given]), np.hstack(given).T.copy())
        ours = np.empty((3, size, 1), dtypes[1])
        assert ops.stack(given, out=ours) is ours


def test_stacking_what_does_not_fit() -> None:
    """A copy is made also of one array; shapes must be equal; numbers are no arrays."""
    one = np.ones(2)
    assert not np.shares_memory(ops.stack([one]), one)
    same(ops.stack([np.float64(1.0), np.float64(2.0)]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="tensors has arrays of shapes"):
        ops.stack([one, np.ones(3)])
    with pytest.raises(errors.OverloadError):
        ops.stack([one, 2.0])


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float64", "complex64"])
def test_products_of_matrices_in_any_layout(dtype: str) -> None:
    """They are NumPy's, also where there is nothing to add up."""
    one, two = np.arange(6).reshape(2, 3).astype(dtype), np.ones((3, 4), dtype)
    for first, second in ((one, two), (two.T, one.T), (one[:, ::-1], two[::-1])):
        same(ops.mm(first, second), first @ second)
    same(ops.mm(one[:, :0], two[:0]), np.zeros((2, 4), dtype))
    stacked = np.stack([one, one])
    same(ops.bmm(stacked, stacked.transpose(0, 2, 1)), np.stack([one @ one.T] * 2))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("size", SIZES)
def test_variance(size: int, dtype: str) -> None:
    """Whichever way the elements of a vector are named, their variance is NumPy's."""
    given: Any = np.random.default_rng(size).standard_normal(size).astype(dtype)
    wide = given.astype("complex128" if given.dtype.kind == "c" else "float64")
    for correction in range(min(size, 2)):
        expected = np.var(wide, ddof=correction)
        for dim in (None, [], [0], [-1]):
            found = ops.var(given, dim, correction=correction)
            assert found.dtype == given.real.dtype
            np.testing.assert_allclose(found, expected, rtol=2e-3)
    with pytest.raises(IndexError):
        ops.var(given, [1])
    assert ops.var(given, [0], correction=0, keepdim=True).shape == (1,)
