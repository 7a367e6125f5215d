"""The NumPy kernels that compute: what they return, write and refuse."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import creation, extremes, pointwise, reduction, variance
from keyslot.runtime.errors import ArgumentValueError, OutShapeError

from .arrays import matrix, same

# --- pointwise ------------------------------------------------------------------------


def test_alpha_scales_the_second_operand() -> None:
    """Alpha multiplies `other` and never `self`."""
    ones, tens = np.array([1, 2]), np.array([10, 20])
    same(pointwise.add(ones, tens), [11, 22])
    same(pointwise.add(ones, tens, alpha=3), [31, 62])
    same(pointwise.sub(ones, tens, alpha=3), [-29, -58])
    same(pointwise.add(ones, 10, 3), [31, 32])
    same(pointwise.sub(ones, 10, 3), [-29, -28])


def test_python_numbers_stay_weak() -> None:
    """A Python number takes on the dtype of the array, alpha that of the result."""
    half = np.ones(2, dtype="float32")
    same(pointwise.add(half, 2.5), np.full(2, 3.5, dtype="float32"))
    same(pointwise.add(half, half, alpha=0.5), np.full(2, 1.5, dtype="float32"))
    same(pointwise.add(half, 3, 0.5), np.full(2, 2.5, dtype="float32"))
    same(pointwise.mul_(half, 2), np.full(2, 2.0, dtype="float32"))
    same(pointwise.add(np.ones(2, dtype="int8"), 2.5), np.full(2, 3.5))
    same(pointwise.clamp(half, max=0.25), np.full(2, 0.25, dtype="float32"))


def test_bool_arrays_take_any_integer_alpha() -> None:
    """Alpha is converted to the dtype of the result, so bool plus bool stays bool."""
    flags = np.array([False, True])
    same(pointwise.add(flags, flags, alpha=2), flags)
    same(pointwise.add(flags, ~flags, alpha=0), flags)
    same(pointwise.add(flags, flags, alpha=True), flags)


@pytest.mark.parametrize(
    ("dtype", "alpha", "message"),
    [
        ("int64", 0.5, "alpha is 0.5; a result of int64 takes none"),
        ("int64", 1.0, "alpha is 1.0; a result of int64 takes none"),
        ("int64", True, "alpha is True; a result of int64 takes none"),
        ("bool", 0.5, "alpha is 0.5; a result of bool takes none"),
        ("float32", 1j, "alpha is 1j; a result of float32 takes none"),
    ],
)
def test_alpha_of_a_higher_kind_is_refused(
    dtype: str, alpha: Any, message: str
) -> None:
    """Alpha never changes the dtype of the result."""
    array = np.ones(2, dtype=dtype)
    for kernel in (pointwise.add, pointwise.add_):
        with pytest.raises(ArgumentValueError) as caught:
            kernel(array, array, alpha=alpha)
        assert str(caught.value) == message


@pytest.mark.parametrize("kernel", [pointwise.add_, pointwise.mul_])
def test_in_place_writes_and_returns_the_argument(kernel: Callable[..., Any]) -> None:
    """In place means the same memory and the same object, without dimensions too."""
    for array in (matrix(), matrix().T, matrix()[:, ::2], np.array(3.0)):
        before = array.copy()
        assert kernel(array, 2.0) is array
        expected = before + 2.0 if kernel is pointwise.add_ else before * 2.0
        same(array, expected)


def test_in_place_does_not_grow_or_change_the_dtype() -> None:
    """A result that does not fit the argument is refused."""
    vector = np.zeros(3)
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        pointwise.add_(vector, matrix())
    with pytest.raises(TypeError, match="Cannot cast ufunc 'multiply' output"):
        pointwise.mul_(np.zeros(3, dtype="int64"), 0.5)
    same(vector, [0.0, 0.0, 0.0])


def test_in_place_with_overlapping_memory() -> None:
    """An operand that shares memory with the argument is read before it is written."""
    array = np.arange(4.0)
    pointwise.add_(array[1:], array[:-1])
    same(array, [0.0, 1.0, 3.0, 5.0])


@pytest.mark.parametrize("shape", [(2, 2), (3,), (2, 3, 1), (1, 2, 3), ()])
def test_out_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    """NumPy would repeat the result in a larger `out`; we neither repeat nor resize."""
    out = np.zeros(shape)
    for kernel in (pointwise.add_out, pointwise.mul_out):
        with pytest.raises(ValueError, match="shape"):
            kernel(matrix(), np.ones(3), out=out)
    same(out, np.zeros(shape))


def test_out_that_would_repeat_the_result_names_both_shapes() -> None:
    """The message says what `out` has and what it must have."""
    with pytest.raises(OutShapeError) as caught:
        pointwise.mul_out(np.ones(3), np.ones(3), out=np.zeros((2, 3)))
    assert str(caught.value) == (
        "out has shape (2, 3), the result has shape (3,);"
        " an array given to be written is not resized."
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_out_is_written_and_returned() -> None:
    """`out` comes back itself, with another dtype and strided too."""
    for out in (np.zeros((2, 3), "float32"), np.zeros((3, 2)).T, np.zeros((4, 3))[::2]):
        assert pointwise.add_out(matrix(), np.ones(3), alpha=2, out=out) is out
        np.testing.assert_array_equal(out, matrix() + 2)
    column = np.ones((2, 1))
    same(pointwise.mul_out(column, np.ones(3), out=np.zeros((2, 3))), np.ones((2, 3)))
    number: Any = 2
    same(pointwise.mul_out(number, column, out=np.zeros((2, 1))), 2 * column)


def test_division_rounds_as_it_is_told() -> None:
    """Floor rounds down, trunc towards zero, and integers stay exact integers."""
    left, right = np.array([-7, 7, -7, 6, 1 - 2**63]), np.array([2, -2, -2, 3, 3])
    floor = [-4, -4, 3, 2, (1 - 2**63) // 3]
    trunc = [-3, -3, 3, 2, -((2**63 - 1) // 3)]
    same(pointwise.div_rounded(left, right, rounding_mode="floor"), floor)
    same(pointwise.div_rounded(left, right, rounding_mode="trunc"), trunc)
    same(pointwise.div_rounded(left[:1], right[:1], rounding_mode=None), [-3.5])
    floats = np.array([-3.5, 3.5], dtype="float32")
    same(
        pointwise.div_rounded(floats, np.ones(2, "float32"), rounding_mode="trunc"),
        np.array([-3.0, 3.0], dtype="float32"),
    )
    with pytest.raises(ArgumentValueError) as caught:
        pointwise.div_rounded(left, right, rounding_mode="ceil")
    message = "rounding_mode is 'ceil'; it can be None, 'trunc' or 'floor'"
    assert str(caught.value) == message


def test_clamp_takes_one_bound_or_two() -> None:
    """Either bound may be missing; the upper one wins; NaN goes through."""
    numbers = np.array([-1.0, np.nan, 9.0])
    same(pointwise.clamp(numbers, 0.0), [0.0, np.nan, 9.0])
    same(pointwise.clamp(numbers, None, 5), [-1.0, np.nan, 5.0])
    same(pointwise.clamp(numbers, 5.0, 0.0), [0.0, np.nan, 0.0])
    same(pointwise.clamp(np.array([1, 3]), 1.5), [1.5, 3.0])
    bounds = np.array([[0.0], [1.0]])
    same(pointwise.clamp(numbers[::2], bounds), [[0.0, 9.0], [1.0, 9.0]])
    with pytest.raises(ArgumentValueError) as caught:
        pointwise.clamp(numbers)
    assert str(caught.value) == "clamp needs a min, a max, or both"


# --- the package ----------------------------------------------------------------------


def test_results_without_dimensions_are_numpy_scalars() -> None:
    """Kernels return what NumPy returns: a NumPy scalar where nothing is written."""
    var, mean = variance.var_mean(matrix())
    for result in (reduction.sum_all(matrix()), extremes.max_all(matrix()), var, mean):
        assert isinstance(result, np.float64)
    assert isinstance(pointwise.add(np.array(1.0), 1), np.float64)
    assert isinstance(pointwise.add_(np.array(1.0), 1), np.ndarray)
    assert isinstance(creation.zeros([]), np.ndarray)


def test_numpy_is_loaded_by_the_kernels_alone() -> None:
    """Importing keyslot and its kernels' package loads no NumPy."""
    program = "import sys, keyslot.kernels; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
