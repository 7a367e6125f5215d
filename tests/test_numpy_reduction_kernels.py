"""The NumPy kernels that reduce arrays over dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import ops
from keyslot.kernels.numpy import extremes, reduction, shape, truth, variance, view
from keyslot.runtime.errors import ArgumentValueError, DtypeError, OutShapeError

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
        same(view.transpose(number, 0, -1), 4.0)


def test_wrong_dimensions_are_refused() -> None:
    """One that is not there is an IndexError, one named twice a ValueError."""
    for call in (
        lambda: reduction.sum_dim(matrix(), [2]),
        lambda: reduction.sum_dim(np.array(1.0), [1]),
        lambda: reduction.sum_dim_out(matrix(), [-3], out=np.zeros(3)),
        lambda: extremes.max_dim(matrix(), 2),
        lambda: variance.var_mean(matrix(), 2),
        lambda: view.transpose(matrix(), 0, 2),
        lambda: view.transpose(np.array(1.0), 0, 1),
        lambda: view.unsqueeze(matrix(), 3),
        lambda: view.unsqueeze(matrix(), -4),
        lambda: view.split(matrix(), 1, 2),
        lambda: view.split(np.array(1.0), 1),
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


# --- sums on the way, products, means, any --------------------------------------------


def test_products_and_cumulative_sums_of_integers_are_int64() -> None:
    """Small integers, unsigned ones and bools are computed in int64, as for sums."""
    for dtype in ("bool", "int8", "int32", "uint8", "uint16"):
        ones = np.ones(300, dtype=dtype)
        same(reduction.prod_all(ones), np.int64(1))
        same(reduction.cumsum(ones, 0), np.arange(1, 301))
    same(reduction.prod_all(np.full(9, 100, "uint8")), np.int64(10**18))


def test_cumulative_sum_in_place_keeps_the_dtype() -> None:
    """It is computed in the dtype of the argument, which is returned itself."""
    for array in (matrix(), matrix().T, matrix()[:, ::2], np.array(3.0)):
        before = array.copy()
        assert reduction.cumsum_(array, -1) is array
        same(array, reduction.cumsum(before, -1))
    small = np.full(3, 100, dtype="int8")
    same(reduction.cumsum_(small, 0), np.array([100, -56, 44], dtype="int8"))
    with pytest.raises(DtypeError) as caught:
        reduction.cumsum_(small, 0, dtype="int64")
    assert str(caught.value) == "self has dtype int8, the result has dtype int64"


def test_bools_are_no_cumulative_sums() -> None:
    """A bool cannot count, so it is no dtype to add up in."""
    flags = np.ones(2, dtype=bool)
    for call in (
        lambda: reduction.cumsum(flags, 0, dtype=bool),
        lambda: reduction.cumsum_(flags, 0),
        lambda: reduction.cumsum_out(flags, 0, out=flags),
    ):
        with pytest.raises(DtypeError) as caught:
            call()
        message = "cumsum adds up numbers, and dtype bool holds none"
        assert str(caught.value) == message


def test_dtype_of_out_is_that_of_the_computation() -> None:
    """Elements are converted before they are multiplied, added up or averaged."""
    halves = np.array([1.5, 1.5])
    whole = np.zeros((), dtype="int64")
    assert reduction.prod_dim_out(halves, 0, out=whole) is whole
    same(whole, np.int64(1))
    sums = np.zeros(2, dtype="int64")
    assert reduction.cumsum_out(halves, 0, out=sums) is sums
    same(sums, [1, 2])
    mean = np.zeros((), dtype="complex128")
    assert reduction.mean_dim_out(halves, [0], out=mean) is mean
    same(mean, 1.5 + 0j)


def test_integers_have_no_mean_of_their_dtype() -> None:
    """A dtype that can hold a mean has to be named, and no other can be."""
    whole = np.array([1, 2])
    calls: tuple[Callable[[], Any], ...] = (
        lambda: reduction.mean_all(whole),
        lambda: reduction.mean_dim(whole, [0]),
    )
    for call in calls:
        with pytest.raises(DtypeError) as caught:
            call()
        assert str(caught.value) == (
            "a mean is floating-point or complex, not int64; dtype= can say so"
        )
    with pytest.raises(DtypeError) as caught:
        reduction.mean_all(np.array([1.0]), dtype=int)
    assert str(caught.value) == "a mean is floating-point or complex, not int64"
    same(reduction.mean_all(np.array([1, 2]), dtype="float32"), np.float32(1.5))


def test_complex_mean_needs_a_complex_out() -> None:
    """Imaginary parts are not dropped."""
    with pytest.raises(DtypeError) as caught:
        reduction.mean_all_out(np.array([1j]), out=np.zeros(()))
    assert str(caught.value) == "out has dtype float64, the mean is complex"


def test_half_precision_is_averaged_in_single() -> None:
    """Sums and squares that half precision cannot hold are no infinite means."""
    numbers = np.full(9, 60000, dtype="float16")
    same(reduction.mean_all(numbers), np.float16(60000))
    same(variance.var(numbers), np.float16(0))
    var, mean = variance.var_mean(np.array([0, 300], "float16"), correction=0)
    same(var, np.float16(22500))
    same(mean, np.float16(150))


def test_mean_of_nothing_is_nan() -> None:
    """The warning is that of NumPy's division."""
    with np.errstate(invalid="ignore"):
        same(reduction.mean_dim(np.zeros((2, 0)), 1), [np.nan, np.nan])
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        reduction.mean_all(np.zeros(0))


def test_any_gives_bools_and_uint8_for_uint8() -> None:
    """The dtype is bool but for arrays of uint8, which PyTorch had for bools."""
    for dtype in ("bool", "int8", "int64", "float32", "complex64"):
        same(truth.any_all(np.array([0, 1], dtype)), np.True_)
    same(truth.any_all(np.array([0, 7], "uint8")), np.uint8(1))
    same(truth.any_dim(np.eye(2, 3, dtype="uint8"), 0), np.array([1, 1, 0], "uint8"))


def test_any_over_no_dimensions_asks_each_element() -> None:
    """An empty list is no dimension here, None all of them."""
    same(truth.any_dims(matrix(), []), matrix() != 0)
    same(truth.any_dims(matrix(), None, True), [[True]])
    same(truth.any_dims(matrix()[:1, :1], (0, 1)), np.False_)


def test_any_writes_bools_and_uint8() -> None:
    """What `out` has for truth values does not depend on the argument."""
    for dtype in ("bool", "uint8"):
        for numbers in (matrix(), matrix().astype("uint8")):
            out = np.zeros(3, dtype)
            assert truth.any_dim_out(numbers, 0, out=out) is out
            same(out, np.ones(3, dtype))
    with pytest.raises(DtypeError) as caught:
        truth.any_all_out(matrix(), out=np.zeros(()))
    assert str(caught.value) == "out has dtype float64; any writes bool or uint8"
    with pytest.raises(OutShapeError):
        truth.any_dims_out(matrix(), [0], out=np.zeros(2, dtype=bool))


# --- extremes -------------------------------------------------------------------------


def test_minimum_of_a_dimension() -> None:
    """The first of equal elements counts, and NaN counts as the smallest, too."""
    numbers = np.array([[3.0, 1.0, 1.0], [2.0, np.nan, np.nan]])
    values, indices = extremes.min_dim(numbers, 1)
    same(values, [1.0, np.nan])
    same(indices, [1, 1])
    same(extremes.min_all(numbers), np.nan)
    same(extremes.amin(numbers, [0]), [2.0, np.nan, np.nan])
    same(extremes.argmin(numbers, 1), [1, 1])


@pytest.mark.parametrize("dim", [[], (), [0, 1], (1, -2)])
def test_extremes_of_all_dimensions(dim: Any) -> None:
    """No dimension and every dimension are the same."""
    same(extremes.amax(matrix(), dim), 5.0)
    same(extremes.amin(matrix(), dim, True), [[0.0]])


def test_place_in_the_array_laid_out_in_one_row() -> None:
    """Without a dimension the index is that of the first such element of all."""
    numbers = np.array([[1, 9], [9, 1]])
    same(extremes.argmax(numbers), np.int64(1))
    same(extremes.argmax(numbers.T[::-1]), np.int64(0))
    same(extremes.argmin(numbers, None, True), [[0]])


#: Operators on what has an order, each with the arguments that it needs.
ORDERED: list[tuple[str, Callable[..., Any], tuple[int, ...]]] = [
    ("max", extremes.max_all, ()),
    ("min", extremes.min_all, ()),
    ("max", extremes.max_dim, (0,)),
    ("min", extremes.min_dim, (0,)),
    ("amax", extremes.amax, ()),
    ("amin", extremes.amin, ()),
    ("argmax", extremes.argmax, ()),
    ("argmin", extremes.argmin, ()),
]


@pytest.mark.parametrize(("name", "kernel", "dim"), ORDERED)
def test_complex_numbers_have_no_extremes(
    name: str, kernel: Callable[..., Any], dim: tuple[int, ...]
) -> None:
    """NumPy would order them by real and then imaginary part."""
    with pytest.raises(DtypeError) as caught:
        kernel(np.array([1j]), *dim)
    message = f"{name} takes no complex numbers: they have no order"
    assert str(caught.value) == message


def test_bools_have_no_place_of_an_extreme() -> None:
    """As in PyTorch, which has a maximum of bools all the same."""
    with pytest.raises(DtypeError) as caught:
        extremes.argmax(np.array([False, True]))
    message = "argmax takes no bool array; convert it to integers"
    assert str(caught.value) == message


def test_extremes_are_written_in_their_own_dtype() -> None:
    """What is found is neither converted nor rounded."""
    out = np.zeros(3)
    assert extremes.amax_out(matrix(), [0], out=out) is out
    same(out, [3.0, 4.0, 5.0])
    with pytest.raises(DtypeError) as caught:
        extremes.amin_out(matrix(), [0], out=np.zeros(3, "float32"))
    message = "out has dtype float32, the result has dtype float64"
    assert str(caught.value) == message
    with pytest.raises(DtypeError) as caught:
        extremes.argmax_out(matrix(), 0, out=np.zeros(3, "int32"))
    assert str(caught.value) == "out has dtype int32, the result has dtype int64"


# --- variance -------------------------------------------------------------------------


@pytest.mark.parametrize("correction", [3, 5])
def test_variance_without_degrees_of_freedom(correction: int) -> None:
    """Nothing to divide by gives infinity, or NaN where there is no variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        same(variance.var(np.array([1.0, 2.0, 4.0]), correction=correction), np.inf)
        same(variance.var(np.array([2.0, 2.0, 2.0]), correction=correction), np.nan)


def test_variance_of_complex_numbers_is_real() -> None:
    """It is that of the real and that of the imaginary parts together."""
    numbers = np.array([1 + 1j, 3 - 1j], "complex64")
    same(variance.var(numbers), np.float32(4.0))


def test_variance_does_not_change_its_argument() -> None:
    """Squares are written over distances, never over elements."""
    numbers = matrix()
    variance.var(numbers, [1])
    same(numbers, matrix())


def test_correction_is_a_real_number() -> None:
    """A complex one has no sense."""
    with pytest.raises(ArgumentValueError) as caught:
        variance.var(matrix(), correction=1j)
    assert str(caught.value) == "correction is 1j, which is no real number"


def test_unbiased_stands_for_a_correction() -> None:
    """The older form of the operator is made of the newer one."""
    same(ops.var(matrix(), [1], False), variance.var(matrix(), [1], correction=0))
    same(ops.var(matrix(), 1, keepdim=True), [[1.0], [1.0]])
    out = np.zeros(2)
    assert ops.var(matrix(), [1], out=out) is out
    same(out, [1.0, 1.0])


def test_unbiased_alone_is_the_variance_of_all_elements() -> None:
    """It may come by position or by name, without any `dim`."""
    numbers = np.array([1.0, 3.0])
    assert ops.var(numbers) == 2.0
    assert ops.var(numbers, False) == ops.var(numbers, unbiased=False) == 1.0
    same(ops.var(numbers, unbiased=False, dim=0, keepdim=True), [1.0])
