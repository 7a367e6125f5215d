"""The NumPy kernels that view, join, pick, cut and create arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import creation, shape
from keyslot.runtime.errors import ArgumentValueError, DtypeError, OutShapeError

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


# --- creation -------------------------------------------------------------------------


def test_dtype_of_new_arrays() -> None:
    """Zeros are float64; a fill value and the ends of a range bring their dtype."""
    same(creation.zeros([2, 0]), np.zeros((2, 0)))
    same(creation.full([2], True), [True, True])
    same(creation.full((2,), 3), [3, 3])
    same(creation.full([], 1.5), np.array(1.5))
    same(creation.full([1], 2j), [2j])
    same(creation.arange(3), [0, 1, 2])
    same(creation.arange(2.5), [0.0, 1.0, 2.0])
    same(creation.arange_start(1, 3.0), [1.0, 2.0])
    same(creation.arange_start(0.5, 3.7, dtype="int64"), [0, 1, 2])
    same(creation.arange_start(2, 2), np.zeros(0, dtype="int64"))
    same(creation.zeros_like(np.ones((2, 1), "int8")), np.zeros((2, 1), "int8"))
    number: Any = np.float64(3.0)
    same(creation.zeros_like(number, dtype=bool), np.array(False))


@pytest.mark.parametrize(
    "dtype", ["float32", np.float32, np.dtype("float32"), np.dtype("<f4"), "f4"]
)
def test_dtype_in_every_spelling(dtype: Any) -> None:
    """A dtype is a NumPy dtype, a name of one, or a scalar type."""
    for array in (
        creation.zeros([1], dtype=dtype),
        creation.full([1], 1, dtype=dtype),
        creation.arange(1, dtype=dtype),
        creation.zeros_like(np.ones(1), dtype=dtype),
    ):
        assert array.dtype == np.dtype("float32")


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        ("flaot32", "NumPy has no dtype 'flaot32'. Did you mean float32?"),
        ("tensor", "NumPy has no dtype 'tensor'."),
        (7, "NumPy has no dtype 7."),
        (["a"], "NumPy has no dtype ['a']."),
        (object, "arrays of dtype object hold no numbers"),
        ("U3", "arrays of dtype <U3 hold no numbers"),
        ("datetime64[s]", "arrays of dtype datetime64[s] hold no numbers"),
    ],
)
def test_dtype_that_is_none_is_refused(dtype: Any, message: str) -> None:
    """Misspelt names get a hint, and arrays hold numbers."""
    with pytest.raises(DtypeError) as caught:
        creation.zeros([1], dtype=dtype)
    assert str(caught.value) == message


#: The creation kernels, each with arguments that it takes.
CREATION: list[tuple[Callable[..., Array], tuple[Any, ...]]] = [
    (creation.zeros, ([1],)),
    (creation.full, ([1], 1)),
    (creation.zeros_like, (matrix(),)),
    (creation.arange, (3,)),
    (creation.arange_start, (1, 3)),
]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"device": "cuda"}, "device is 'cuda'; a NumPy array is on the cpu"),
        ({"layout": "sparse_coo"}, "layout is 'sparse_coo'; a NumPy array is strided"),
        ({"pin_memory": True}, "pin_memory is True; NumPy does not pin memory"),
    ],
)
def test_what_no_numpy_array_is_is_refused(
    arguments: dict[str, Any], message: str
) -> None:
    """Every creation kernel refuses what it cannot make, instead of ignoring it."""
    for kernel, given in CREATION:
        with pytest.raises(ArgumentValueError) as caught:
            kernel(*given, **arguments)
        assert str(caught.value) == message


@pytest.mark.parametrize("device", [None, "cpu", "NumPy", "numpy"])
def test_what_every_numpy_array_is_is_taken(device: str | None) -> None:
    """The device is the CPU, or the backend by name."""
    array = creation.zeros([1], layout="strided", device=device, pin_memory=False)
    same(array, [0.0])


def test_memory_format_of_zeros_like() -> None:
    """The order of dimensions in memory is kept unless another format is asked for."""
    array = np.ones((2, 3)).T
    assert creation.zeros_like(array).strides == array.strides
    kept = creation.zeros_like(array, memory_format="preserve_format")
    assert kept.strides == array.strides
    made = creation.zeros_like(array, memory_format="contiguous_format")
    assert made.flags.c_contiguous
    with pytest.raises(ArgumentValueError) as caught:
        creation.zeros_like(array, memory_format="channels_last")
    assert str(caught.value) == (
        "memory_format is 'channels_last';"
        " for NumPy it can be 'preserve_format' or 'contiguous_format'"
    )


@pytest.mark.parametrize(
    ("kernel", "ends"), [(creation.arange, (-1,)), (creation.arange_start, (0, -1))]
)
def test_range_that_runs_backwards_is_refused(
    kernel: Callable[..., Array], ends: tuple[int, ...]
) -> None:
    """NumPy would return nothing, which hides a mistake."""
    with pytest.raises(ArgumentValueError) as caught:
        kernel(*ends)
    assert str(caught.value) == "start is 0, which is above end, -1"
