"""The NumPy kernels that view, join, pick and cut arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import shape
from keyslot.runtime.errors import ArgumentValueError, OutShapeError

from .arrays import Array, matrix, same

# --- views ----------------------------------------------------------------------------


#: Views of a whole array or of a part of it.
VIEWS: list[Callable[[Array], Array]] = [
    lambda array: shape.transpose(array, 0, -1),
    lambda array: shape.unsqueeze(array, 1),
    lambda array: shape.view(array, [3, -1]),
    lambda array: shape.view(array, (2, 3)),
    lambda array: shape.split(array, 2, 1)[0],
    lambda array: shape.split(array, 9, 0)[0],
]


@pytest.mark.parametrize("view_of", VIEWS)
def test_a_view_shares_memory(view_of: Callable[[Array], Array]) -> None:
    """What is written to a view is seen in the array; it is an object of its own."""
    array = matrix()
    view = view_of(array)
    assert view is not array
    view[...] = 9.0
    assert np.count_nonzero(array == 9.0) == view.size


def test_view_never_copies() -> None:
    """A shape that needs a copy, or does not fit, is refused."""
    with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
        shape.view(matrix().T, [6])
    with pytest.raises(ValueError, match="cannot reshape array of size 6"):
        shape.view(matrix(), [4])
    with pytest.raises(ValueError, match="cannot reshape array of size 0"):
        shape.view(np.zeros(0), [0, -1])
    assert shape.view(np.zeros((3, 0)).T, [5, 0]).shape == (5, 0)
    assert shape.view(np.array(1.0), [1, 1]).shape == (1, 1)
    assert shape.view(np.zeros((1, 1)), []).shape == ()


def test_unsqueeze_counts_in_the_result() -> None:
    """The new dimension is where the number says in the result."""
    shapes = [shape.unsqueeze(matrix(), dim).shape for dim in range(-3, 3)]
    assert shapes == [(1, 2, 3), (2, 1, 3), (2, 3, 1)] * 2
    number: Any = np.float64(2.0)
    assert shape.unsqueeze(number, -1).shape == (1,)


@pytest.mark.parametrize(
    ("length", "size", "pieces"),
    [
        (5, 2, [2, 2, 1]),
        (4, 2, [2, 2]),
        (3, 7, [3]),
        (0, 3, [0]),
        (0, 0, [0]),
    ],
)
def test_split_into_pieces(length: int, size: int, pieces: list[int]) -> None:
    """The last piece is what remains, and nothing is one piece."""
    made = shape.split(np.arange(length), size)
    assert [len(piece) for piece in made] == pieces
    same(np.concatenate(made), np.arange(length))


@pytest.mark.parametrize("size", [0, -1])
def test_split_into_pieces_of_no_size(size: int) -> None:
    """A size that never gets through the dimension is refused."""
    with pytest.raises(ArgumentValueError) as caught:
        shape.split(matrix(), size, 1)
    assert str(caught.value) == (
        f"split_size is {size}; a dimension of size 3 is not cut by that"
    )


# --- joining and picking --------------------------------------------------------------


def test_cat_leaves_out_empty_vectors() -> None:
    """Arrays of shape (0,) join with any others; only their dtype counts."""
    nothing = np.zeros(0, dtype="complex64")
    same(shape.cat([nothing, matrix()], 1), matrix().astype("complex128"))
    out = np.zeros((2, 3), dtype="complex128")
    assert shape.cat_out([matrix(), nothing], -2, out=out) is out
    same(out, matrix().astype("complex128"))


def test_cat_refuses_what_does_not_fit() -> None:
    """Other sizes, no arrays and arrays without dimensions are refused."""
    with pytest.raises(ValueError, match="must match exactly"):
        shape.cat([matrix(), np.ones((3, 2))], 0)
    with pytest.raises(ValueError, match="need at least one array"):
        shape.cat([])
    with pytest.raises(ValueError, match="zero-dimensional arrays"):
        shape.cat([np.array(1.0)])
    with pytest.raises(OutShapeError) as caught:
        shape.cat_out([matrix(), matrix()], 1, out=np.zeros((2, 5)))
    assert caught.value.expected == (2, 6)
    with pytest.raises(TypeError, match="Cannot cast array data"):
        shape.cat_out([matrix()], out=np.zeros((2, 3), dtype="int64"))


def test_index_picks_by_numbers_masks_and_none() -> None:
    """Neighbours among the index arrays stay in place, others come to the front."""
    cube = np.arange(24).reshape(2, 3, 4)
    rows, columns = np.array([0, 1]), np.array([[2], [0]])
    same(shape.index(cube, [rows]), cube[[0, 1]])
    same(shape.index(cube, [None, columns, rows]), cube[:, columns, rows])
    assert shape.index(cube, [rows, None, columns]).shape == (2, 2, 3)
    same(shape.index(cube, [None, np.array([True, False, True])]), cube[:, [0, 2]])
    same(shape.index(cube, [cube > 20]), [21, 22, 23])
    assert shape.index(cube, [rows[:0]]).shape == (0, 3, 4)


def test_index_returns_a_copy() -> None:
    """Numbers without dimensions pick like arrays: the result is no view."""
    array = matrix()
    number: Any
    for number in (np.int64(1), np.array(1)):
        row = shape.index(array, [number])
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
        shape.index(matrix(), indices)


def test_index_needs_an_index() -> None:
    """No index array at all is refused, as in PyTorch."""
    for indices in ([], [None], [None, None]):
        with pytest.raises(ArgumentValueError) as caught:
            shape.index(matrix(), indices)
        assert str(caught.value) == "index needs at least one array of indices"
