"""Kernels of arithmetic with two operands, other than division."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError
from ..shaped import Shaped
from ..variants import Kernel
from .arrays import Array, Scalar, check_shape
from .families import binary, named, rules_of, with_number
from .promotion import BOOL, Dtype, as_array, number_dtype, result_dtype
from .refusals import operator_name, unfit_dtype, unfit_shape
from .rules import Ufunc, check_no_bool, like_ufunc

#: The default of `alpha`. CPython has one object 1, so a test of identity finds it,
#: and what only equals it, such as 1.0, still goes through the checks.
_ONE: Final = 1

#: Kinds of result dtypes that take an alpha of each kind.
_RESULTS_OF_ALPHA: Final = {"b": "b", "i": "biufc", "u": "biufc", "f": "fc", "c": "c"}


def _with_alpha(ufunc: Ufunc, no_bool: bool = False) -> tuple[Kernel, ...]:
    """Return the kernels of a sum or difference: with an array, and with a number."""
    name = operator_name(ufunc)
    plain, plain_, plain_out = binary(ufunc, no_bool=no_bool)
    plain_number, plain_number_ = with_number(ufunc, no_bool=no_bool)

    def scaled(self: Array, other: Array | Scalar, alpha: Scalar) -> Any:
        """Return ``alpha * other`` in the dtype of the result."""
        if no_bool:
            check_no_bool(name, self, other)
        dtype = result_dtype(self, other)
        check_alpha(alpha, dtype)
        return np.multiply(other, dtype.type(alpha), dtype=dtype, casting="unsafe")

    def new(self: Array, other: Array, *, alpha: Scalar = 1) -> Any:
        if alpha is not _ONE:
            return plain(self, scaled(self, other, alpha))
        try:
            if self.dtype is other.dtype:
                return ufunc(self, other)
        except AttributeError:
            pass  # One is a Python number, given where an array is expected.
        except TypeError as error:
            raise unfit_dtype(name, self.dtype) from error
        return plain(self, other)

    def in_place(self: Array, other: Array, *, alpha: Scalar = 1) -> Any:
        if alpha is _ONE and self.dtype is getattr(other, "dtype", None):
            try:
                return ufunc(self, other, self)
            except TypeError as error:
                raise unfit_dtype(name, self.dtype) from error
            except ValueError as error:
                raise unfit_shape(self, other, error) from None
        return plain_(self, other if alpha is _ONE else scaled(self, other, alpha))

    def out(self: Array, other: Array, *, alpha: Scalar = 1, out: Array) -> Any:
        times_alpha = other if alpha is _ONE else scaled(self, other, alpha)
        return plain_out(self, times_alpha, out=out)

    def number(self: Array, other: Scalar, alpha: Scalar = 1) -> Any:
        if alpha is _ONE:
            return plain_number(self, other)
        return plain(self, scaled(self, other, alpha))

    def number_(self: Array, other: Scalar, alpha: Scalar = 1) -> Any:
        if alpha is _ONE:
            return plain_number_(self, other)
        return plain_(self, scaled(self, other, alpha))

    return named(rules_of(plain), (new, in_place, out, number, number_))


def check_alpha(alpha: Scalar, dtype: Dtype) -> None:
    """Raise ArgumentValueError for a factor that no result of ``dtype`` takes."""
    kind = number_dtype(alpha).kind
    if dtype.kind not in _RESULTS_OF_ALPHA[kind]:
        raise ArgumentValueError(f"alpha is {alpha!r}; a result of {dtype} takes none")


def _integer_power(base: Array, exponent: Array) -> Any:
    try:
        return np.power(base, exponent)
    except ValueError:
        pass  # There are negative exponents, which NumPy refuses.
    negative = exponent < 0
    # 1 / base**n, rounded towards zero: only 1 and -1 leave more than 0.
    inverse = np.where(np.abs(base) == 1, np.power(base, exponent & 1), 0)
    power = np.power(base, np.where(negative, 0, exponent))
    return np.where(negative, inverse, power)


add, add_, add_out, add_number, add_number_ = _with_alpha(np.add)
sub, sub_, sub_out, sub_number, sub_number_ = _with_alpha(np.subtract, no_bool=True)

mul, mul_, mul_out = binary(np.multiply)
_, mul_number_ = with_number(np.multiply)

atan2, atan2_, atan2_out = binary(np.arctan2, "c", floating=True)


def _logaddexp(one: Any, two: Any) -> Any:
    """Return the logarithm of a sum of exponentials, of which the larger is taken out.

    NumPy has it for real numbers alone.
    """
    if one.dtype.kind != "c":
        return np.logaddexp(one, two)
    choose: Any = np.where
    first: Any = one.real >= two.real
    most, least = choose(first, one, two), choose(first, two, one)
    added: Any = np.log1p(np.exp(least - most))
    return most + added


logaddexp, _, logaddexp_out = binary(like_ufunc(_logaddexp), "biu")
maximum, _, maximum_out = binary(np.maximum, "c")
minimum, _, minimum_out = binary(np.minimum, "c")

pow, pow_, pow_out = binary(np.power, "b", integers=like_ufunc(_integer_power))
_pow_number, _pow_number_ = with_number(np.power, "b")


def pow_number(self: Array, exponent: Scalar) -> Any:
    """Kernel of pow.Tensor_Scalar."""
    if type(exponent) is bool and self.dtype is BOOL:
        return _bool_power(self, exponent)
    check_exponent(self, exponent)
    return _pow_number(self, exponent)


def pow_number_(self: Array, exponent: Scalar) -> Any:
    """Kernel of pow_.Scalar."""
    if type(exponent) is bool and self.dtype is BOOL:
        return _bool_power(self, exponent, self)
    check_exponent(self, exponent)
    return _pow_number_(self, exponent)


def pow_number_out(self: Array, exponent: Scalar, *, out: Array) -> Any:
    """Kernel of pow.Tensor_Scalar_out."""
    self = as_array(self)
    if type(exponent) is bool and self.dtype is BOOL:
        check_shape(out, self.shape)
        return _bool_power(self, exponent, out)
    check_exponent(self, exponent)
    return pow_out(self, exponent, out=out)


def _bool_power(self: Array, exponent: bool, out: Array | None = None) -> Any:
    # As numbers: 1 to any power is 1, and so is 0 to the power of 0.
    return np.logical_or(self, not exponent, out=out)


def check_exponent(self: Shaped, exponent: Scalar) -> None:
    """Raise ArgumentValueError for integers to the power of negative ones."""
    # NumPy refuses it too, but not where there is nothing to compute.
    if type(exponent) is int and exponent < 0 and self.dtype.kind in "biu":
        raise ArgumentValueError(
            f"exponent is {exponent}; powers of integers start at 0"
        )
