"""The NumPy kernels that reduce arrays over dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import extremes, reduction, shape, variance
from keyslot.runtime.errors import DtypeError, OutShapeError

from .arrays import matrix, same


@pytest.mark.parametrize("dim", [1, -1, [1], (-1,), np.int64(1)])
def test_one_dimension_in_every_spelling(dim: Any) -> None:
    """A dimension is a number, a list or a tuple, counted from either end."""
    same(reduction.sum_dim(matrix(), dim), [3.0, 12.0])
    same(reduction.sum_dim(matrix(), dim, True), [[3.0], [12.0]])


@pytest.mark.parametrize("dim", [None, [], (), [0, 1], (1, -2)])
def test_all_dimensions_in_every_spelling(dim: Any) -> None:
    """None and no dimension at all mean all of them."""
    same(reduction.sum_dim(matrix(), dim), 15.0)
    same(reduction.sum_dim(matrix(), dim, True), [[15.0]])
    var, mean = variance.var_mean(matrix(), dim)
    same(var, 3.5)
    same(mean, 2.5)


def test_array_without_dimensions_passes_as_one_dimensional() -> None:
    """As in PyTorch, 0 and -1 are dimensions of an array that has none."""
    number: Any
    for number in (np.array(4.0), np.float64(4.0)):
        same(reduction.sum_dim(number, [0]), 4.0)
        same(reduction.sum_dim(number, -1, True), 4.0)
        same(extremes.max_dim(number, 0)[1], 0)
        same(extremes.max_dim(number, -1, True)[0], 4.0)
        same(variance.var_mean(number, [0], correction=0)[1], 4.0)
        same(shape.transpose(number, 0, -1), 4.0)


def test_wrong_dimensions_are_refused() -> None:
    """One that is not there is an IndexError, one named twice a ValueError."""
    for call in (
        lambda: reduction.sum_dim(matrix(), [2]),
        lambda: reduction.sum_dim(np.array(1.0), [1]),
        lambda: reduction.sum_dim_out(matrix(), [-3], out=np.zeros(3)),
        lambda: extremes.max_dim(matrix(), 2),
        lambda: variance.var_mean(matrix(), 2),
        lambda: shape.transpose(matrix(), 0, 2),
        lambda: shape.transpose(np.array(1.0), 0, 1),
        lambda: shape.unsqueeze(matrix(), 3),
        lambda: shape.unsqueeze(matrix(), -4),
        lambda: shape.split(matrix(), 1, 2),
        lambda: shape.split(np.array(1.0), 1),
        lambda: shape.cat([matrix()], 2),
    ):
        with pytest.raises(IndexError, match="out of bounds"):
            call()
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        reduction.sum_dim(matrix(), [0, -2])


def test_sums_of_integers_are_int64() -> None:
    """Small integers, unsigned ones and bools are added up in int64."""
    for dtype in ("bool", "int8", "int32", "uint8", "uint16"):
        same(reduction.sum_all(np.ones(300, dtype=dtype)), np.int64(300))
        same(reduction.sum_dim(np.ones((2, 3), dtype=dtype), 0), np.full(3, 2))


def test_dtype_of_a_sum() -> None:
    """The elements are converted first; the dtype of `out` counts as `dtype`."""
    halves = np.array([0.5, 0.7, 1.5])
    same(reduction.sum_all(halves, dtype="int64"), np.int64(1))
    same(reduction.sum_dim(halves, 0, dtype=int), np.int64(1))
    same(reduction.sum_dim_out(halves, 0, out=np.zeros((), "int64")), np.int64(1))
    out = np.zeros((), "float32")
    assert reduction.sum_dim_out(halves, None, dtype=np.float32, out=out) is out
    with pytest.raises(DtypeError) as caught:
        reduction.sum_dim_out(halves, 0, dtype="float64", out=out)
    assert str(caught.value) == ("out has dtype float32, the result has dtype float64")


@pytest.mark.parametrize("shape", [(2,), (1, 3), (3, 1), (2, 3), ()])
def test_out_of_a_sum_must_have_its_shape(shape: tuple[int, ...]) -> None:
    """The message speaks of shapes, where NumPy's speaks of operands."""
    with pytest.raises(OutShapeError) as caught:
        reduction.sum_dim_out(matrix(), [0], out=np.zeros(shape))
    assert (caught.value.shape, caught.value.expected) == (shape, (3,))


def test_sum_of_nothing() -> None:
    """An empty sum is 0, over one dimension or over all."""
    same(reduction.sum_all(np.zeros((0, 3))), 0.0)
    same(reduction.sum_dim(np.zeros((0, 3)), 0), [0.0, 0.0, 0.0])
    same(reduction.sum_dim(np.zeros((0, 3)), 1), np.zeros(0))


def test_maximum_of_a_dimension() -> None:
    """The first of equal elements counts, and NaN counts as the largest."""
    numbers = np.array([[1.0, 3.0, 3.0], [np.nan, 2.0, np.nan]])
    values, indices = extremes.max_dim(numbers, 1)
    same(values, [3.0, np.nan])
    same(indices, [1, 0])
    values, indices = extremes.max_dim(numbers, -1, True)
    assert values.shape == indices.shape == (2, 1)
    same(extremes.max_all(numbers), np.nan)
    same(extremes.max_all(np.array([False, True])), np.True_)


def test_maximum_of_nothing() -> None:
    """Nothing has no maximum; no rows with a maximum each are no rows."""
    values, indices = extremes.max_dim(np.zeros((3, 0)), 0)
    same(values, np.zeros(0))
    same(indices, np.zeros(0, dtype="int64"))
    for call in (
        lambda: extremes.max_all(np.zeros(0)),
        lambda: extremes.max_dim(np.zeros((0, 3)), 0),
    ):
        with pytest.raises(ValueError, match=r"empty sequence|zero-size array"):
            call()


def test_two_outputs_are_written_together_or_not_at_all() -> None:
    """What is wrong with the second one leaves the first one alone."""
    values, indices = np.zeros(2), np.zeros(2, dtype="int64")
    both = extremes.max_dim_out(matrix(), 1, max=values, max_values=indices)
    assert both[0] is values
    assert both[1] is indices
    same(values, [2.0, 5.0])
    same(indices, [2, 2])
    values[:] = 7.0
    with pytest.raises(OutShapeError) as shape:
        extremes.max_dim_out(matrix(), 1, max=values, max_values=indices[:1])
    assert shape.value.argument == "max_values"
    with pytest.raises(DtypeError) as dtype:
        extremes.max_dim_out(matrix(), 1, max=values, max_values=values.copy())
    message = "max_values has dtype float64, the result has dtype int64"
    assert str(dtype.value) == message
    same(values, [7.0, 7.0])


def test_variance_and_mean() -> None:
    """The correction is 1 unless given, and both come with or without dimensions."""
    var, mean = variance.var_mean(matrix(), [1])
    same(var, [1.0, 1.0])
    same(mean, [1.0, 4.0])
    var, mean = variance.var_mean(matrix(), 0, correction=0, keepdim=True)
    same(var, [[2.25, 2.25, 2.25]])
    same(mean, [[1.5, 2.5, 3.5]])
    var, mean = variance.var_mean(np.array([1 + 1j, 3 - 1j]))
    same(var, 4.0)
    same(mean, 2 + 0j)
    with pytest.raises(DtypeError) as caught:
        variance.var_mean(np.array([1, 2]))
    assert str(caught.value) == "var_mean takes floating-point arrays, not int64"
