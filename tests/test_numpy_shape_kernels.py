"""The NumPy kernels that view, join, pick, cut and create arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import copying, shape, view
from keyslot.runtime.errors import ArgumentValueError, DtypeError, OutShapeError

from .arrays import matrix, same

# --- joining --------------------------------------------------------------------------


def test_cat_leaves_out_empty_vectors() -> None:
    """Arrays of shape (0,) join with any others; only their dtype counts."""
    nothing = np.zeros(0, dtype="complex64")
    same(shape.cat([nothing, matrix()], 1), matrix().astype("complex128"))
    out = np.zeros((2, 3), dtype="complex128")
    assert shape.cat_out([matrix(), nothing], -2, out=out) is out
    same(out, matrix().astype("complex128"))


@pytest.mark.parametrize("other", [(3, 2), (3,), (2, 3, 1)])
def test_arrays_that_do_not_join_are_named_by_their_shapes(
    other: tuple[int, ...],
) -> None:
    """All dimensions but one have to be the same; empty vectors do not count."""
    tensors = [np.zeros(0), matrix(), matrix(), np.ones(other)]
    says = (
        f"tensors has arrays of shapes (2, 3) and {other}; they may differ only in"
        " dimension 1, at which they are joined"
    )
    for kernel in (shape.cat, partial(shape.cat_out, out=np.zeros((2, 9)))):
        with pytest.raises(ArgumentValueError) as caught:
            kernel(tensors, -1)
        assert str(caught.value) == says


@pytest.mark.parametrize("kernel", [view.permute, shape.flip])
def test_a_dimension_named_twice_is_refused(
    kernel: Callable[[Any, list[int]], Any],
) -> None:
    """The message has the name of the argument; one there is not is an IndexError."""
    with pytest.raises(ArgumentValueError) as caught:
        kernel(matrix(), [1, -1])
    assert str(caught.value) == "dims is [1, -1], which names a dimension twice"
    with pytest.raises(IndexError):
        kernel(matrix(), [1, 2])


def test_cat_refuses_what_does_not_fit() -> None:
    """No arrays and arrays without dimensions are refused."""
    with pytest.raises(ValueError, match="tensors is empty: nothing to join"):
        shape.cat([])
    with pytest.raises(ValueError, match="without dimensions"):
        shape.cat([np.array(1.0)])
    with pytest.raises(OutShapeError) as caught:
        shape.cat_out([matrix(), matrix()], 1, out=np.zeros((2, 5)))
    assert caught.value.expected == (2, 6)
    with pytest.raises(DtypeError) as wrong:
        shape.cat_out([matrix()], out=np.zeros((2, 3), dtype="int64"))
    assert str(wrong.value) == (
        "out has dtype int64, which cannot hold the result's float64"
    )


# --- padding, turning, repeating ------------------------------------------------------


def test_pad_before_and_after_from_the_last_dimension() -> None:
    """Negative numbers crop; dimensions that are not named stay."""
    same(
        shape.constant_pad_nd(matrix(), [1, -1], 9),
        [[9.0, 0.0, 1.0], [9.0, 3.0, 4.0]],
    )
    same(shape.constant_pad_nd(matrix(), [0, 0, -1, 1])[0], [3.0, 4.0, 5.0])
    whole = shape.constant_pad_nd(matrix(), [])
    same(whole, matrix())
    assert whole.base is None


@pytest.mark.parametrize(
    ("pad", "message"),
    [
        (
            [1],
            "pad is [1]; it needs two numbers for each dimension to pad, and the array"
            " has 2",
        ),
        (
            [-2, -2],
            "pad is [-2, -2], which crops more than a dimension of size 3 has",
        ),
    ],
)
def test_pad_that_does_not_fit(pad: list[int], message: str) -> None:
    """Numbers come in pairs, and crop no more than there is."""
    with pytest.raises(ArgumentValueError) as caught:
        shape.constant_pad_nd(matrix(), pad)
    assert str(caught.value) == message


def test_pad_takes_on_the_dtype() -> None:
    """Integers lose the fraction of the number; real arrays take no complex one."""
    same(shape.constant_pad_nd(np.array([7]), [1, 0], 1.5), [1, 7])
    with pytest.raises(ArgumentValueError) as caught:
        shape.constant_pad_nd(matrix(), [1, 1], 1j)
    assert str(caught.value) == (
        "value is 1j; arrays of float64 hold no complex numbers"
    )


def test_flip_and_repeat_are_no_views() -> None:
    """Their results are new arrays, also where nothing moves."""
    array = matrix()
    for made in (
        shape.flip(array, []),
        shape.flip(array, [0]),
        shape.repeat(array, [1, 1]),
    ):
        assert not np.shares_memory(made, array)
    same(shape.flip(array, [-1, 0]), array[::-1, ::-1])
    same(shape.repeat(array, [2, 1, 2]), np.tile(array, (2, 1, 2)))
    with pytest.raises(ArgumentValueError) as caught:
        shape.repeat(array, [2])
    assert str(caught.value) == (
        "repeats is [2]; an array with 2 dimensions needs a number from 0 up for each"
        " of them"
    )


# --- copying --------------------------------------------------------------------------


def test_clone_keeps_the_order_in_memory() -> None:
    """A copy has memory of its own, in the order that is asked for."""
    turned = matrix().T
    assert copying.clone(turned).strides == turned.strides
    contiguous = copying.clone(turned, memory_format="contiguous_format")
    assert contiguous.flags.c_contiguous
    same(contiguous, turned)
    assert not np.shares_memory(contiguous, turned)


def test_copy_converts_and_broadcasts() -> None:
    """Fractions are cut off; what is copied does not grow what it is copied to."""
    whole = np.zeros((2, 3), "int64")
    assert copying.copy_(whole, np.array([1.7, -1.7, 2.0])) is whole
    same(whole, [[1, -1, 2]] * 2)
    same(copying.copy(whole, np.array(4.0)), np.full((2, 3), 4))
    same(copying.to_copy(matrix(), dtype="int64"), np.arange(6).reshape(2, 3))
    with pytest.raises(ArgumentValueError) as caught:
        copying.copy_(np.zeros(3), np.ones((1, 3)))
    assert str(caught.value) == "src has shape (1, 3), which does not broadcast to (3,)"


def test_resize_keeps_the_memory() -> None:
    """The array itself gets another shape, and views of it stay what they are."""
    array = matrix()
    row = array[1]
    assert copying.resize_(array, [3, 2]) is array
    same(array, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    row[0] = 9.0
    assert array[1, 1] == 9.0


@pytest.mark.parametrize("size", [[7], [2], [], [-2, -3]])
def test_resize_to_another_number_of_elements(size: list[int]) -> None:
    """The memory cannot move, as others may see it."""
    array = matrix()
    with pytest.raises(ArgumentValueError) as caught:
        copying.resize_(array, size)
    assert str(caught.value) == (
        f"size is {size}; the array has 6 elements, and the memory of a NumPy array"
        " cannot grow or shrink while others may see it"
    )
    same(array, matrix())


def test_resize_needs_elements_that_lie_together() -> None:
    """The elements between those of a view belong to others."""
    with pytest.raises(ValueError, match="do not lie together"):
        copying.resize_(matrix()[:, ::2], [4])


def test_first_element_is_a_python_number() -> None:
    """It is read, whatever the number of dimensions and of elements."""
    number = copying.local_scalar_dense(np.array([[3]], "int8"))
    assert type(number) is int
    assert number == 3
    assert copying.local_scalar_dense(matrix()) == matrix()[0, 0]
    with pytest.raises(ArgumentValueError) as caught:
        copying.local_scalar_dense(np.zeros((0, 2)))
    assert str(caught.value) == "an array of no elements has no number to read"
