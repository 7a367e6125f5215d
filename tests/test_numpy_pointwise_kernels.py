"""The NumPy kernels of pointwise operators: what they return, write and refuse."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from keyslot import ops
from keyslot.kernels.numpy import arithmetic, comparison, division, special, unary
from keyslot.kernels.numpy.promotion import result_dtype
from keyslot.runtime.errors import (
    ArgumentValueError,
    DivisionByZeroError,
    DtypeError,
    OutShapeError,
)

from .arrays import matrix, same


def test_alpha_scales_the_second_operand() -> None:
    """Alpha multiplies `other` and never `self`."""
    ones, tens = np.array([1, 2]), np.array([10, 20])
    same(arithmetic.add(ones, tens), [11, 22])
    same(arithmetic.add(ones, tens, alpha=3), [31, 62])
    same(arithmetic.sub(ones, tens, alpha=3), [-29, -58])
    same(arithmetic.add_number(ones, 10, 3), [31, 32])
    same(arithmetic.sub_number(ones, 10, 3), [-29, -28])


def test_python_numbers_stay_weak() -> None:
    """A Python number takes on the dtype of the array, alpha that of the result."""
    half = np.ones(2, dtype="float32")
    same(arithmetic.add_number(half, 2.5), np.full(2, 3.5, dtype="float32"))
    same(arithmetic.add(half, half, alpha=0.5), np.full(2, 1.5, dtype="float32"))
    same(arithmetic.add_number(half, 3, 0.5), np.full(2, 2.5, dtype="float32"))
    same(arithmetic.mul_number_(half, 2), np.full(2, 2.0, dtype="float32"))
    same(arithmetic.add_number(np.ones(2, dtype="int8"), 2.5), np.full(2, 3.5))


def test_bool_arrays_take_any_integer_alpha() -> None:
    """Alpha is converted to the dtype of the result, so bool plus bool stays bool."""
    flags = np.array([False, True])
    same(arithmetic.add(flags, flags, alpha=2), flags)
    same(arithmetic.add(flags, ~flags, alpha=0), flags)
    same(arithmetic.add(flags, flags, alpha=True), flags)


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
    for kernel in (arithmetic.add, arithmetic.add_):
        with pytest.raises(ArgumentValueError) as caught:
            kernel(array, array, alpha=alpha)
        assert str(caught.value) == message


@pytest.mark.parametrize("kernel", [arithmetic.add_number_, arithmetic.mul_number_])
def test_in_place_writes_and_returns_the_argument(kernel: Callable[..., Any]) -> None:
    """In place means the same memory and the same object, without dimensions too."""
    for array in (matrix(), matrix().T, matrix()[:, ::2], np.array(3.0)):
        before = array.copy()
        assert kernel(array, 2.0) is array
        expected = before + 2.0 if kernel is arithmetic.add_number_ else before * 2.0
        same(array, expected)


def test_in_place_does_not_grow_or_change_the_dtype() -> None:
    """A result that does not fit the argument is refused."""
    vector = np.zeros(3)
    with pytest.raises(ValueError, match="which does not broadcast to"):
        arithmetic.add_(vector, matrix())
    with pytest.raises(TypeError, match="which cannot hold the result's float64"):
        arithmetic.mul_number_(np.zeros(3, dtype="int64"), 0.5)
    same(vector, [0.0, 0.0, 0.0])


def test_in_place_with_overlapping_memory() -> None:
    """An operand that shares memory with the argument is read before it is written."""
    array = np.arange(4.0)
    arithmetic.add_(array[1:], array[:-1])
    same(array, [0.0, 1.0, 3.0, 5.0])


@pytest.mark.parametrize("shape", [(2, 2), (3,), (2, 3, 1), (1, 2, 3), ()])
def test_out_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    """NumPy would repeat the result in a larger `out`; we neither repeat nor resize."""
    out = np.zeros(shape)
    for kernel in (arithmetic.add_out, arithmetic.mul_out):
        with pytest.raises(ValueError, match="shape"):
            kernel(matrix(), np.ones(3), out=out)
    same(out, np.zeros(shape))


def test_out_that_would_repeat_the_result_names_both_shapes() -> None:
    """The message says what `out` has and what it must have."""
    with pytest.raises(OutShapeError) as caught:
        arithmetic.mul_out(np.ones(3), np.ones(3), out=np.zeros((2, 3)))
    assert str(caught.value) == (
        "out has shape (2, 3), the result has shape (3,);"
        " an array given to be written is not resized."
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_out_is_written_and_returned() -> None:
    """`out` comes back itself, with another dtype and strided too."""
    for out in (np.zeros((2, 3), "float32"), np.zeros((3, 2)).T, np.zeros((4, 3))[::2]):
        assert arithmetic.add_out(matrix(), np.ones(3), alpha=2, out=out) is out
        np.testing.assert_array_equal(out, matrix() + 2)
    column = np.ones((2, 1))
    same(arithmetic.mul_out(column, np.ones(3), out=np.zeros((2, 3))), np.ones((2, 3)))
    number: Any = 2
    same(arithmetic.mul_out(number, column, out=np.zeros((2, 1))), 2 * column)


def test_division_rounds_as_it_is_told() -> None:
    """Floor rounds down, trunc towards zero, and integers stay exact integers."""
    left, right = np.array([-7, 7, -7, 6, 1 - 2**63]), np.array([2, -2, -2, 3, 3])
    floor = [-4, -4, 3, 2, (1 - 2**63) // 3]
    trunc = [-3, -3, 3, 2, -((2**63 - 1) // 3)]
    same(division.div_rounded(left, right, rounding_mode="floor"), floor)
    same(division.div_rounded(left, right, rounding_mode="trunc"), trunc)
    same(division.div_rounded(left[:1], right[:1], rounding_mode=None), [-3.5])
    floats = np.array([-3.5, 3.5], dtype="float32")
    same(
        division.div_rounded(floats, np.ones(2, "float32"), rounding_mode="trunc"),
        np.array([-3.0, 3.0], dtype="float32"),
    )
    with pytest.raises(ArgumentValueError) as caught:
        division.div_rounded(left, right, rounding_mode="ceil")
    message = "rounding_mode is 'ceil'; it can be None, 'trunc' or 'floor'"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("operands", "dtype"),
    [
        ((np.ones(2, "int64"), np.ones(2, "float32")), "float32"),
        ((np.ones(2, "int64"), np.ones(2, "float16")), "float16"),
        ((np.ones(2, "float32"), np.array(1.0)), "float32"),
        ((np.ones(2, "float32"), np.float64(1.0)), "float32"),
        ((np.ones(2, "int8"), np.array(1)), "int8"),
        ((np.ones(2, "int8"), np.array(1.0, "float32")), "float32"),
        ((np.ones(2, "bool"), np.array(1, "int8")), "int8"),
        ((np.ones(2, "float32"), np.array(1j)), "complex64"),
        ((np.ones(2, "float64"), np.ones(2, "complex64")), "complex128"),
        ((np.ones(2, "int8"), 1), "int8"),
        ((np.ones(2, "int8"), 0.5), "float64"),
        ((np.array(1, "int8"), 2.5, 1j), "complex128"),
        ((np.ones(2, "uint16"), np.ones(2, "int16")), "int32"),
        ((np.ones(2, "float32"), np.ones(2, "longdouble")), "longdouble"),
    ],
)
def test_operands_are_promoted(operands: tuple[Any, ...], dtype: str) -> None:
    """The category decides first, then dimensions, then precision; numbers are weak."""
    assert result_dtype(*operands) == np.dtype(dtype)
    assert result_dtype(*reversed(operands)) == np.dtype(dtype)


def test_results_of_promotion_are_computed_in_its_dtype() -> None:
    """What comes back, is compared or is written has been converted first."""
    third = np.array([1 / 3], "float32")
    same(arithmetic.mul(third, np.array(3.0)), np.array([1.0], "float32"))
    same(comparison.eq(third, np.array(1 / 3)), [True])
    same(comparison.eq(third, np.array([1 / 3])), [False])
    small = np.array([100], "int8")
    same(arithmetic.add_(small, np.array([100])), np.array([-56], "int8"))


def test_write_refuses_what_out_cannot_hold() -> None:
    """The message names the argument and both dtypes, and nothing is written."""
    whole = np.zeros(2, "int64")
    writes: tuple[tuple[Callable[[], Any], str], ...] = (
        (lambda: arithmetic.mul_(whole, np.ones(2)), "self"),
        (lambda: arithmetic.mul_out(np.ones(2), np.ones(2), out=whole), "out"),
        (lambda: unary.exp_(whole), "self"),
        (lambda: unary.exp_out(np.ones(2), out=whole), "out"),
    )
    for write, argument in writes:
        with pytest.raises(DtypeError) as caught:
            write()
        message = f"{argument} has dtype int64, which cannot hold the result's float64"
        assert str(caught.value) == message
    same(whole, [0, 0])


@pytest.mark.parametrize(
    ("kernel", "operands", "message"),
    [
        (unary.abs, (np.ones(2, "bool"),), "abs takes no arrays of dtype bool"),
        (unary.floor, (np.ones(2, "bool"),), "floor takes no arrays of dtype bool"),
        (unary.round, (np.ones(2) * 1j,), "round takes no arrays of dtype complex128"),
        (comparison.lt_number, (np.ones(2), 1j), "lt takes no arrays of dtype"),
        (arithmetic.maximum, (np.ones(2), 1j), "maximum takes no arrays of dtype"),
        (arithmetic.sub, (np.ones(2), np.ones(2, "bool")), "takes no bool operands"),
        (arithmetic.sub_number, (np.ones(2), True, 2), "takes no bool operands"),
        (
            division.fmod,
            (np.ones(2, "bool"),) * 2,
            "fmod takes no arrays of dtype bool",
        ),
    ],
)
def test_dtypes_that_are_not_taken(
    kernel: Callable[..., Any], operands: tuple[Any, ...], message: str
) -> None:
    """Operators refuse dtypes that PyTorch refuses, also where NumPy takes them."""
    with pytest.raises(DtypeError, match=message):
        kernel(*operands)


def test_integers_divided_by_zero_are_an_error() -> None:
    """Nothing is written; floats give what floating point has for it."""
    whole, zeros = np.array([1, 2]), np.array([1, 0])
    divisions: tuple[Callable[[], Any], ...] = (
        lambda: division.fmod_(whole, zeros),
        lambda: division.remainder_number_(whole, 0),
        lambda: division.div_rounded_(whole, zeros, rounding_mode="floor"),
        lambda: division.div_rounded_(whole, 0, rounding_mode="trunc"),
    )
    for divide in divisions:
        with pytest.raises(ZeroDivisionError, match="divides an integer by zero"):
            divide()
    same(whole, [1, 2])
    same(division.fmod(np.zeros(0, "int64"), np.array(0)), np.zeros(0, "int64"))
    with np.errstate(all="ignore"):
        same(division.fmod_number(np.array([1.0]), 0), [np.nan])
    error = DivisionByZeroError("fmod")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_rests_have_the_sign_of_one_operand() -> None:
    """That of fmod has the sign of what is divided, that of remainder the other's."""
    left, right = np.array([-7, 7, -7]), np.array([2, -2, -2])
    same(division.fmod(left, right), [-1, 1, -1])
    same(division.remainder(left, right), [1, -1, -1])
    same(division.remainder_number(left / 1.0, 2), [1.0, 1.0, 1.0])


def test_powers_of_integers() -> None:
    """Negative exponents are rounded towards zero in arrays, and refused as numbers."""
    base = np.array([1, -1, -1, 2, 0])
    same(arithmetic.pow(base, np.array([-3, -3, -2, -1, -1])), [1, -1, 1, 0, 0])
    same(arithmetic.pow(2, np.array([3, -1])), [8, 0])
    same(arithmetic.pow_number(base, 0.5 * 4), [1.0, 1.0, 1.0, 4.0, 0.0])
    with pytest.raises(ArgumentValueError, match="exponent is -1; powers of integers"):
        arithmetic.pow_number(base, -1)


def test_error_function_is_near_machine_precision() -> None:
    """It is held against that of the C library, from tiny numbers to where it is 1."""
    numbers = np.concatenate([np.linspace(-7, 7, 2801), 10.0 ** np.arange(-300, 2)])
    expected = [math.erf(number) for number in numbers]
    np.testing.assert_allclose(special.erf(numbers), expected, 1e-15, 0)
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], "float32")
    same(special.erf(edges), np.array([0.0, -0.0, 1.0, -1.0, np.nan], "float32"))
    assert np.signbit(special.erf(edges))[1]


def test_sigmoid_goes_to_0_and_1_without_warnings() -> None:
    """Where the exponential overflows the result is still right."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(unary.sigmoid(np.array([-1e4, 0.0, 1e4])), [0.0, 0.5, 1.0])


def test_signs_and_rounding() -> None:
    """NaN has the sign 0, halves are rounded to even, and integers stay integers."""
    same(unary.sign(np.array([-2.0, -0.0, np.nan])), [-1.0, 0.0, 0.0])
    same(unary.sign(np.array([True, False])), [True, False])
    same(unary.round(np.array([0.5, 1.5, -2.5])), [0.0, 2.0, -2.0])
    same(unary.round(np.array([3, 4])), [3, 4])
    same(unary.floor(np.array([3, 4], "uint8")), np.array([3, 4], "uint8"))


def test_small_integers_are_computed_in_double_precision() -> None:
    """NumPy computes the sine of int8 in float16; float64 is the default dtype."""
    for dtype in ("bool", "int8", "uint8", "int64"):
        same(unary.sin(np.ones(2, dtype)), np.sin(np.ones(2)))
        same(division.div(np.ones(2, dtype), np.ones(2, dtype)), np.ones(2))
        same(arithmetic.atan2(np.ones(1, dtype), np.ones(1, dtype)), [np.pi / 4])


FLOATS = np.array([1.0, 2.0])
COMPLEX = FLOATS.astype("complex64")


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("neg", np.array([True])),
        *[
            (name, array)
            for name in ("bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor")
            for array in (FLOATS, FLOATS.astype("float32"), COMPLEX)
        ],
    ],
)
def test_a_dtype_that_has_no_such_operation_is_named(name: str, array: Any) -> None:
    """Every overload says the same, but for those that are a ufunc of NumPy's."""
    unary_one = name in ("neg", "bitwise_not")
    others: list[list[Any]] = [[]] if unary_one else [[array], [1], [array[0]]]
    new = partial(getattr(ops, name), array)
    if unary_one:
        with pytest.raises(TypeError):
            new()
    for rest in others:
        for call in (
            *([] if unary_one else [new]),
            partial(getattr(ops, f"{name}_"), array.copy()),
            partial(getattr(ops, name), array, out=array.copy()),
        ):
            with pytest.raises(DtypeError) as caught:
                call(*rest)
            assert str(caught.value) == f"{name} takes no arrays of dtype {array.dtype}"


def test_out_of_the_very_dtype_of_the_result() -> None:
    """Operators that keep the dtype do so in what they write, as in PyTorch."""
    with pytest.raises(DtypeError) as caught:
        unary.floor_out(np.ones(2), out=np.ones(2, "float32"))
    assert str(caught.value) == "out has dtype float32, the result has dtype float64"
    distances = np.zeros(1)
    assert unary.abs_out(np.array([3 + 4j]), out=distances) is distances
    same(distances, [5.0])


def test_in_place_with_itself() -> None:
    """An operand may be the very array that is written."""
    for name in ("add_", "mul_", "eq_", "fmod_", "pow_", "atan2_"):
        array = np.array([1.0, 2.0])
        expected = getattr(ops, name[:-1])(array, array).astype(float)
        assert getattr(ops, name)(array, array) is array
        same(array, expected)
