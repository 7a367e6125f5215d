"""The NumPy kernels that pick and write by indices and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import ops
from keyslot.kernels.numpy import indexing, scatter
from keyslot.runtime.errors import (
    ArgumentValueError,
    DtypeError,
    OutShapeError,
    OverloadError,
)

from .arrays import Array, matrix, same


def test_index_picks_by_numbers_masks_and_none() -> None:
    """Neighbours among the index arrays stay in place, others come to the front."""
    cube = np.arange(24).reshape(2, 3, 4)
    rows, columns = np.array([0, 1]), np.array([[2], [0]])
    same(indexing.index(cube, [rows]), cube[[0, 1]])
    same(indexing.index(cube, [None, columns, rows]), cube[:, columns, rows])
    assert indexing.index(cube, [rows, None, columns]).shape == (2, 2, 3)
    same(indexing.index(cube, [None, np.array([True, False, True])]), cube[:, [0, 2]])
    same(indexing.index(cube, [cube > 20]), [21, 22, 23])
    assert indexing.index(cube, [rows[:0]]).shape == (0, 3, 4)


def test_index_returns_a_copy() -> None:
    """Numbers without dimensions pick like arrays: the result is no view."""
    array = matrix()
    number: Any
    for number in (np.int64(1), np.array(1)):
        row = indexing.index(array, [number])
        same(row, [3.0, 4.0, 5.0])
        assert not np.shares_memory(row, array)


@pytest.mark.parametrize(
    "indices",
    [
        [np.array([2])],
        [np.array([True, False, True])],
        [np.array([0]), np.array([0]), np.array([0])],
        [np.array([0.0])],
    ],
)
def test_index_refuses_what_is_not_there(indices: list[Array]) -> None:
    """Out of range, a mask that does not fit, too many, floats: an IndexError."""
    with pytest.raises(IndexError):
        indexing.index(matrix(), indices)


def test_index_needs_an_index() -> None:
    """No index array at all is refused, as in PyTorch."""
    for indices in ([], [None], [None, None]):
        with pytest.raises(ArgumentValueError) as caught:
            indexing.index(matrix(), indices)
        assert str(caught.value) == "index needs at least one array of indices"


# --- writing --------------------------------------------------------------------------


def test_index_put_writes_or_adds() -> None:
    """The last value stays, or all are added; the functional form changes a copy."""
    numbers, places = np.array([1, 2, 3]), [np.array([0, 0])]
    values = np.array([5, 6])
    same(indexing.index_put(numbers, places, values), [6, 2, 3])
    same(indexing.index_put(numbers, places, values, True), [12, 2, 3])
    same(numbers, [1, 2, 3])
    assert indexing.index_put_(numbers, places, values) is numbers
    same(numbers, [6, 2, 3])


def test_index_put_does_not_drop_dimensions() -> None:
    """Values have no more dimensions than what they are written to."""
    indexing.index_put_(matrix(), [np.array([0, 1])], np.ones((1, 3)))
    with pytest.raises(ArgumentValueError) as caught:
        indexing.index_put_(matrix(), [np.array([0, 1])], np.ones((1, 2, 3)))
    assert str(caught.value) == (
        "values has 3 dimensions, more than what is picked for them"
    )


def test_masked_scatter_uses_as_many_as_the_mask_chooses() -> None:
    """The rest is left over; too few are refused before anything is written."""
    array, mask = matrix(), np.array([True, False, True])
    same(
        indexing.masked_scatter(array, mask, np.arange(10.0, 19.0)),
        [[10.0, 1.0, 11.0], [12.0, 4.0, 13.0]],
    )
    with pytest.raises(ArgumentValueError) as caught:
        indexing.masked_scatter_(array, mask, np.ones(3))
    assert str(caught.value) == "source has 3 elements, the mask chooses 4"
    same(array, matrix())
    with pytest.raises(DtypeError) as wrong:
        indexing.masked_scatter_(array, np.array([1, 0, 1]), np.ones(6))
    assert str(wrong.value) == "mask has dtype int64; a mask is of bool"


def test_parts_are_replaced_in_a_copy() -> None:
    """What replaces a part has its very shape."""
    array = matrix()
    replaced = indexing.slice_scatter(array, np.ones((2, 1), "int64"), 1, -1)
    same(replaced[:, 2], [1.0, 1.0])
    same(indexing.select_scatter(array, np.ones(3), 0, -1)[1], np.ones(3))
    same(array, matrix())
    with pytest.raises(ArgumentValueError) as caught:
        indexing.select_scatter(array, np.ones(1), 0, 0)
    assert str(caught.value) == ("src has shape (1,), the part to be replaced has (3,)")


# --- along a dimension ----------------------------------------------------------------


def test_index_may_be_smaller_than_the_array() -> None:
    """Places in the other dimensions are those of the index itself."""
    index = np.array([[2], [0]])
    same(indexing.gather(matrix(), 1, index), [[2.0], [3.0]])
    same(
        scatter.scatter_value(matrix(), 1, index, 9),
        [[0.0, 1.0, 9.0], [9.0, 4.0, 5.0]],
    )


def test_scatter_adds_up_what_goes_to_one_place() -> None:
    """Every element counts, and the array itself is written."""
    array, index = np.zeros(2), np.array([1, 1, 0])
    assert scatter.scatter_add_(array, 0, index, np.array([1.0, 2.0, 4.0])) is array
    same(array, [4.0, 3.0])
    out = np.zeros(2)
    assert scatter.scatter_add_out(array, 0, index, np.ones(3), out=out) is out
    same(out, [5.0, 5.0])
    with pytest.raises(OutShapeError):
        scatter.scatter_add_out(array, 0, index, np.ones(3), out=np.zeros(3))


@pytest.mark.parametrize(
    ("reduce", "with_self", "without"),
    [
        ("sum", [11, 6], [1, 6]),
        ("prod", [-60, 6], [-6, 6]),
        ("mean", [3, 6], [0, 6]),
        ("amax", [10, 6], [3, 6]),
        ("amin", [-2, 6], [-2, 6]),
    ],
)
def test_scatter_reduce(reduce: str, with_self: list[int], without: list[int]) -> None:
    """The element that is there counts or not; where nothing goes it stays."""
    numbers, index, src = np.array([10, 6]), np.array([0, 0]), np.array([3, -2])
    same(scatter.scatter_reduce(numbers, 0, index, src, reduce), with_self)
    same(
        scatter.scatter_reduce(numbers, 0, index, src, reduce, include_self=False),
        without,
    )


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ([[3]], IndexError, "index 3 is out of bounds for axis 1 with size 3"),
        ([[-1]], IndexError, "index -1 is negative; here indices count from 0 only"),
        (
            [[0.0]],
            DtypeError,
            "index has dtype float64; it can be int64 or int32",
        ),
        (
            [0],
            ArgumentValueError,
            "index has 1 dimensions and self 2; they need the same number",
        ),
        (
            [[0]] * 3,
            ArgumentValueError,
            "index has shape (3, 1), which is larger in dimension 0 than self with"
            " shape (2, 3)",
        ),
    ],
)
def test_index_along_a_dimension_is_checked(
    index: Any, error: type[Exception], message: str
) -> None:
    """Picking and writing refuse the same, and then nothing is written."""
    array, places = matrix(), np.array(index)
    calls: list[Callable[[], Any]] = [
        lambda: indexing.gather(array, 1, places),
        lambda: scatter.scatter_value_(array, 1, places, 9.0),
        lambda: scatter.scatter_add_(array, 1, places, np.ones_like(places, float)),
    ]
    for refused in calls:
        with pytest.raises(error) as caught:
            refused()
        assert str(caught.value) == message
    same(array, matrix())


def test_scatter_does_not_convert() -> None:
    """What is written has the dtype of the array."""
    with pytest.raises(DtypeError) as caught:
        scatter.scatter_src_(matrix(), 1, np.array([[0]]), np.array([[1]]))
    assert str(caught.value) == (
        "src has dtype int64, self has float64; they must be equal"
    )


def test_numbers_are_not_written_for_arrays() -> None:
    """A number has no elements that go to places."""
    zeros, at = np.zeros(3), np.array([0, 1, 1])
    calls: list[tuple[str, Callable[[], object]]] = [
        ("src", lambda: ops.scatter_add(zeros, 0, at, 1.5)),
        ("src", lambda: ops.scatter.src(zeros, 0, at, 1.5)),
        ("src", lambda: ops.scatter_reduce(zeros, 0, at, 1.5, "sum")),
        ("values", lambda: ops.index_put(zeros, [at], 1.5)),
        ("source", lambda: ops.masked_scatter(zeros, at > 0, 1.5)),
    ]
    for name, refused in calls:
        with pytest.raises(OverloadError) as caught:
            refused()
        assert f"argument {name!r} takes Tensor, not float; pass an array" in str(
            caught.value
        )


def test_scatter_reduce_refuses_what_is_not_defined() -> None:
    """Another word, and dtypes without such a reduction."""
    flags, index = np.ones(2, bool), np.array([0])
    with pytest.raises(ArgumentValueError) as caught:
        scatter.scatter_reduce_(flags, 0, index, flags, "max")
    assert str(caught.value) == (
        "reduce is 'max'; it can be 'sum', 'prod', 'mean', 'amax' or 'amin'"
    )
    with pytest.raises(DtypeError) as wrong:
        scatter.scatter_reduce_(flags, 0, index, flags, "mean")
    assert str(wrong.value) == "scatter_reduce takes no mean of bool"
