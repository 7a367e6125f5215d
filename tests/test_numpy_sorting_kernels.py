"""The NumPy kernels that sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import sorting
from keyslot.runtime.errors import ArgumentValueError, DtypeError, OutShapeError

from .arrays import Array, matrix, same


def test_nan_is_larger_than_all_numbers() -> None:
    """It comes last, and first in descending order."""
    numbers = np.array([np.nan, 2.0, np.inf, -np.inf])
    values, indices = sorting.sort(numbers)
    same(values, [-np.inf, 2.0, np.inf, np.nan])
    same(indices, [3, 1, 2, 0])
    same(sorting.sort(numbers, 0, True)[0], [np.nan, np.inf, 2.0, -np.inf])
    same(sorting.topk(numbers, 2)[0], [np.nan, np.inf])
    same(sorting.topk(numbers, 1, largest=False)[0], [-np.inf])


@pytest.mark.parametrize("descending", [False, True])
def test_equal_elements_stay_in_their_order(descending: bool) -> None:
    """In either direction, in long arrays, along any dimension."""
    numbers = np.random.default_rng(0).integers(0, 5, (2, 1000))
    for dim, array in ((1, numbers), (0, numbers.T)):
        values, indices = sorting.sort(array, dim, descending)
        same(values, np.take_along_axis(array, indices, dim))
        steps, moves = np.diff(values, axis=dim), np.diff(indices, axis=dim)
        assert (steps <= 0 if descending else steps >= 0).all()
        assert (moves[steps == 0] > 0).all()


def test_sorted_arrays_are_new_and_contiguous() -> None:
    """Neither result is a view of the argument, or of anything."""
    for descending in (False, True):
        for result in sorting.sort(matrix(), 0, descending):
            assert result.flags.c_contiguous
            assert not np.shares_memory(result, matrix())


def test_array_without_dimensions_is_sorted() -> None:
    """0 and -1 are its dimensions, and it has one element."""
    number: Any
    for number in (np.array(4.0), np.float64(4.0)):
        for results in (sorting.sort(number, 0), sorting.topk(number, 1)):
            same(results[0], 4.0)
            same(results[1], np.int64(0))
    with pytest.raises(IndexError, match="out of bounds"):
        sorting.sort(np.array(4.0), 1)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 2, 99, 100])
def test_first_elements_in_sorted_order(k: int, largest: bool) -> None:
    """They are those of a sorted array, and the indices point to them."""
    numbers = np.random.default_rng(0).integers(0, 30, (3, 100))
    for dim, array in ((1, numbers), (0, numbers.T)):
        values, indices = sorting.topk(array, k, dim, largest)
        same(values, sorting.sort(array, dim, largest)[0].take(range(k), dim))
        check_places(array, values, indices, dim)


def test_first_elements_in_any_order() -> None:
    """Without `sorted` they are the same elements."""
    numbers = np.random.default_rng(0).random((3, 100))
    values, indices = sorting.topk(numbers, 7, 1, True, False)
    same(sorting.sort(values)[0], sorting.sort(numbers)[0][:, -7:])
    check_places(numbers, values, indices, 1)


def check_places(array: Array, values: Array, indices: Array, dim: int) -> None:
    """Check that indices point to values, and none to the same element as another."""
    same(values, np.take_along_axis(array, indices, dim))
    assert (np.diff(np.sort(indices, dim), axis=dim) > 0).all()


@pytest.mark.parametrize("k", [-1, 4])
def test_more_elements_than_there_are_is_refused(k: int) -> None:
    """So is a negative number of them."""
    with pytest.raises(ArgumentValueError) as caught:
        sorting.topk(matrix(), k, 1)
    assert str(caught.value) == f"k is {k}; dimension 1 has 3 elements"


def test_what_has_no_order_is_refused() -> None:
    """Complex numbers are not sorted, and PyTorch picks no bools either."""
    with pytest.raises(DtypeError) as caught:
        sorting.sort(np.array([1j]))
    assert str(caught.value) == "sort takes no array of dtype complex128"
    with pytest.raises(DtypeError) as caught:
        sorting.topk(np.array([True]), 1)
    assert str(caught.value) == "topk takes no array of dtype bool"
    same(sorting.sort(np.array([True, False]))[0], [False, True])


def test_both_outputs_are_written_or_none() -> None:
    """What is wrong with the indices leaves the values alone."""
    values, indices = np.zeros((2, 3)), np.zeros((2, 3), dtype="int64")
    both = sorting.sort_out(matrix(), -1, True, values=values, indices=indices)
    assert both[0] is values
    assert both[1] is indices
    same(values, matrix()[:, ::-1])
    same(indices, [[2, 1, 0], [2, 1, 0]])
    values[:] = 7.0
    with pytest.raises(OutShapeError) as shape:
        sorting.sort_out(matrix(), -1, False, values=values, indices=indices[:1])
    assert shape.value.argument == "indices"
    with pytest.raises(DtypeError) as dtype:
        sorting.sort_out(matrix(), -1, False, values=values, indices=values.copy())
    message = "indices has dtype float64, the result has dtype int64"
    assert str(dtype.value) == message
    same(values, np.full((2, 3), 7.0))
