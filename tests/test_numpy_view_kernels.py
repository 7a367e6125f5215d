"""The NumPy kernels that return views, and those that say how an array lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import ops
from keyslot.kernels.numpy import copying, strides, view
from keyslot.runtime.errors import ArgumentValueError

from .arrays import Array, matrix, same

#: Views of a whole array or of a part of it.
VIEWS: list[Callable[[Array], Array]] = [
    lambda array: view.alias(array),
    lambda array: view.permute(array, [1, 0]),
    lambda array: view.transpose(array, 0, -1),
    lambda array: view.unsqueeze(array, 1),
    lambda array: view.view(array, [3, -1]),
    lambda array: view.view(array, (2, 3)),
    lambda array: view.squeeze_dim(array, 0),
    lambda array: view.squeeze_dims(array, [0, 1]),
    lambda array: view.expand(array, [1, -1, -1]),
    lambda array: view.diagonal(array, 1),
    lambda array: view.select(array, 1, -1),
    lambda array: view.select(array[0], 0, 2),
    lambda array: view.slice_dim(array, 1, -2),
    lambda array: view.split_with_sizes(array, [1, 2], 1)[1],
    lambda array: strides.as_strided(array, [2, 2], [1, 2], 1),
    lambda array: view.split(array, 2, 1)[0],
    lambda array: view.split(array, 9, 0)[0],
]


@pytest.mark.parametrize("view_of", VIEWS)
def test_a_view_shares_memory(view_of: Callable[[Array], Array]) -> None:
    """What is written to a view is seen in the array; it is an object of its own."""
    array = matrix()
    view = view_of(array)
    assert view is not array
    view[...] = 9.0
    assert np.count_nonzero(array == 9.0) == view.size


@pytest.mark.parametrize("size", [[-2, 3], [2, -3], [-9]])
def test_view_takes_no_negative_size_but_one(size: list[int]) -> None:
    """Only -1 stands for what is left, as in PyTorch."""
    with pytest.raises(ArgumentValueError) as refused:
        view.view(matrix(), size)
    assert str(refused.value) == (
        f"size is {size}; a negative number can only be -1, for what is left"
    )


def test_view_never_copies() -> None:
    """A shape that needs a copy, or does not fit, is refused."""
    with pytest.raises(ArgumentValueError) as refused:
        view.view(matrix().T, [6])
    assert str(refused.value) == (
        "no view of this array with shape (3, 2) has size [6], for its elements lie in"
        " another order; clone it first, with memory_format='contiguous_format'"
    )
    copy = copying.clone(matrix().T, memory_format="contiguous_format")
    assert view.view(copy, [6]).tolist() == matrix().T.ravel().tolist()
    with pytest.raises(ValueError, match="cannot reshape array of size 6"):
        view.view(matrix(), [4])
    with pytest.raises(ValueError, match="cannot reshape array of size 0"):
        view.view(np.zeros(0), [0, -1])
    assert view.view(np.zeros((3, 0)).T, [5, 0]).shape == (5, 0)
    assert view.view(np.array(1.0), [1, 1]).shape == (1, 1)
    assert view.view(np.zeros((1, 1)), []).shape == ()


def test_unsqueeze_counts_in_the_result() -> None:
    """The new dimension is where the number says in the result."""
    shapes = [view.unsqueeze(matrix(), dim).shape for dim in range(-3, 3)]
    assert shapes == [(1, 2, 3), (2, 1, 3), (2, 3, 1)] * 2
    number: Any = np.float64(2.0)
    assert view.unsqueeze(number, -1).shape == (1,)


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
    made = view.split(np.arange(length), size)
    assert [len(piece) for piece in made] == pieces
    same(np.concatenate(made), np.arange(length))


@pytest.mark.parametrize("size", [0, -1])
def test_split_into_pieces_of_no_size(size: int) -> None:
    """A size that never gets through the dimension is refused."""
    with pytest.raises(ArgumentValueError) as caught:
        view.split(matrix(), size, 1)
    assert str(caught.value) == (
        f"split_size is {size}; a dimension of size 3 is not cut by that"
    )


def test_expanded_array_is_read_only_where_elements_repeat() -> None:
    """One element of memory stands for several of the view, unless nothing repeats."""
    array = np.zeros((2, 1))
    repeated = view.expand(array, [2, 3])
    assert repeated.strides == (8, 0)
    assert not repeated.flags.writeable
    assert view.expand(array, [1, 2, 1]).flags.writeable
    with pytest.raises(ArgumentValueError) as caught:
        view.expand(array, [-1, 2, 3])
    assert str(caught.value) == (
        "size is [-1, 2, 3]; an array with 2 dimensions needs a size for each of them,"
        " and -1 keeps only what is there"
    )


def test_views_of_read_only_arrays_are_read_only() -> None:
    """No view makes writable what is not."""
    array = matrix()
    array.setflags(write=False)
    for view_of in VIEWS:
        assert not view_of(array).flags.writeable
    of_repeated = np.broadcast_to(np.zeros(2), (2, 2))
    assert not view.diagonal(of_repeated).flags.writeable


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (
            lambda: view.permute(matrix(), [0]),
            "dims names 1 dimensions, the array has 2",
        ),
        (
            lambda: view.squeeze_dims(matrix(), [0, -2]),
            "dim is [0, -2], which names a dimension twice",
        ),
        (
            lambda: view.slice_dim(matrix(), step=-1),
            "step is -1; a slice needs a step of 1 or more",
        ),
        (
            lambda: view.split_with_sizes(matrix(), [4, -1], 1),
            "split_sizes is [4, -1]; a dimension of size 3 is cut by sizes from 0 up"
            " whose sum it is",
        ),
    ],
)
def test_views_that_are_not_there(refused: Callable[[], Any], message: str) -> None:
    """The message names the argument and what it could be."""
    with pytest.raises(ArgumentValueError) as caught:
        refused()
    assert str(caught.value) == message


def test_conjugates_of_complex_numbers_are_a_new_array() -> None:
    """NumPy has no view that conjugates; an array of reals is returned itself."""
    numbers, reals = np.array([1 + 2j]), matrix()
    same(ops.conj(numbers), np.array([1 - 2j]))
    assert not np.shares_memory(ops.conj(numbers), numbers)
    assert ops.conj(reals) is reals


def test_reshape_copies_only_where_it_must() -> None:
    """A view is what the elements lie in order for, even in an array that has gaps."""
    array = np.zeros((2, 4))[:, :3]
    assert np.shares_memory(ops.reshape(array, [2, 3, 1]), array)
    assert not np.shares_memory(ops.reshape(array, [6]), array)
    assert ops.flatten(array, 1) is array
    assert ops.contiguous(array) is not array


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (
            lambda: ops.flatten(matrix(), 1, 0),
            "start_dim is 1, which comes after end_dim 0",
        ),
        (
            lambda: ops.movedim(matrix(), [0], [0, 1]),
            "source names 1 dimensions, destination 2",
        ),
        (
            lambda: ops.movedim(matrix(), [0, -2], [0, 1]),
            "source is [0, -2], which names a dimension twice",
        ),
        (
            lambda: ops.t(np.zeros((1, 1, 1))),
            "t takes arrays with at most 2 dimensions, not 3; transpose exchanges two"
            " of more",
        ),
        (
            lambda: ops.mT(np.zeros(2)),
            "mT takes arrays with 2 dimensions or more, not 1",
        ),
        (
            lambda: ops.chunk(matrix(), 0),
            "chunks is 0; an array is cut into 1 or more",
        ),
        (
            lambda: ops.narrow(matrix(), 1, 2, 2),
            "2 elements from 2 on are not there; the dimension has 3",
        ),
    ],
)
def test_composite_views_that_are_not_there(
    refused: Callable[[], Any], message: str
) -> None:
    """The message names the argument and what it could be."""
    with pytest.raises(ArgumentValueError) as caught:
        refused()
    assert str(caught.value) == message


# --- strides --------------------------------------------------------------------------


def test_storage_is_the_memory_of_the_array_that_owns_it() -> None:
    """Strides and offsets count elements, of the dtype that the view has."""
    owner = np.arange(12, dtype="int32")
    part = owner[3:11:2]
    assert strides.sym_storage_offset(part) == 3
    assert strides.sym_stride(part, 0) == 2
    assert strides.sym_storage_offset(owner[3:].view("int16")) == 6
    assert strides.sym_storage_offset(owner[::-1]) == 11
    assert strides.sym_stride(owner[::-1], 0) == -1
    same(strides.as_strided(part, [2], [1], 0), owner[:2])
    same(strides.as_strided(part, [2], [1]), owner[3:5])


def test_storage_in_any_order_of_dimensions() -> None:
    """Places in memory are meant, whatever the order of the owner's dimensions."""
    owner = np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2).copy(order="K")
    assert owner.base is None
    same(strides.as_strided(owner, [24], [1]), np.arange(24))
    assert not strides.sym_is_contiguous(owner)


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        (
            ([3], [2], 2),
            "size [3] with stride [2] from storage_offset 2 on reaches over 7 elements;"
            " the storage has 6",
        ),
        (([2], [1, 1]), "size is [2] and stride is [1, 1]; they need the same length"),
        (
            ([2], [-1], 3),
            "size is [2], stride is [-1], storage_offset is 3; none may be negative",
        ),
    ],
)
def test_as_strided_stays_in_the_storage(
    geometry: tuple[Any, ...], message: str
) -> None:
    """What lies outside of the memory is refused, not read."""
    with pytest.raises(ArgumentValueError) as caught:
        strides.as_strided(matrix(), *geometry)
    assert str(caught.value) == message


def test_strides_that_are_no_whole_elements() -> None:
    """A field of records lies at places that elements of its dtype cannot count."""
    records = np.zeros(3, [("flag", "u1"), ("number", "f8")])
    with pytest.raises(ArgumentValueError) as caught:
        strides.sym_stride(records["number"], 0)
    assert str(caught.value) == ("9 bytes are no whole number of elements of float64")


def test_memory_with_gaps_has_no_storage() -> None:
    """The memory of another library may be lent in parts."""
    lent = np.asarray(memoryview(bytearray(8))[::2])
    with pytest.raises(ArgumentValueError) as caught:
        strides.as_strided(lent, [2], [1])
    assert str(caught.value) == (
        "the memory of the array has gaps, as it comes from another library"
    )
