"""Functions of one number that NumPy does not have, or not as PyTorch defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from .arrays import FEW, Array
from .refusals import unfit_dtype

# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
# Computation 23 (1969), in the form of his program CALERF: coefficients of numerators
# and denominators, those of the highest powers first.
#: Up to here erf(x) / x is the quotient of two polynomials in x * x.
_SMALL: Final = 0.46875
_SMALL_NUMERATOR: Final = (
    *(1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2),
    *(3.77485237685302021e2, 3.20937758913846947e3),
)
_SMALL_DENOMINATOR: Final = (
    *(1.0, 2.36012909523441209e1, 2.44024637934444173e2),
    *(1.28261652607737228e3, 2.84423683343917062e3),
)
#: From there on (1 - erf(x)) * exp(x * x) is that of two polynomials in x.
_LARGE_NUMERATOR: Final = (
    *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0),
    *(6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2),
    *(1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3),
)
_LARGE_DENOMINATOR: Final = (
    *(1.0, 1.57449261107098347e1, 1.17693950891312499e2),
    *(5.37181101862009858e2, 1.62138957456669019e3, 3.29079923573345963e3),
    *(4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
)
#: From here on erf(x) is 1 in double precision.
_ONE_FROM: Final = 6.0
#: So many elements at a time stay in the cache of the processor.
_BLOCK: Final = 8192


def erf(x: Array) -> Any:
    """Return the error function, computed in double precision."""
    flat = np.ravel(x)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = _erf_of_block(flat[block])
    return result.reshape(x.shape)[()]


def sigmoid(x: Array) -> Any:
    """Return 1 / (1 + exp(-x))."""
    # Where exp(-x) overflows the result is 0, as it should be.
    with np.errstate(over="ignore"):
        result = np.negative(x)
        result = np.exp(result, _again(result))
        result = np.add(result, 1, _again(result))
        return np.reciprocal(result, _again(result))


def rsqrt(x: Array) -> Any:
    """Return 1 / sqrt(x)."""
    result = np.sqrt(x)
    return np.reciprocal(result, _again(result))


def sign(self: Array, /) -> Any:
    """Return -1, 0 or 1, and 0 for NaN; bools are their own signs.

    Raises DtypeError for complex numbers, which have no sign.
    """
    kind = self.dtype.kind
    if kind == "f":
        if not 0 < self.size <= FEW:
            return _sign_of_many(self)
        result = np.sign(self)
        # A NaN counts as the largest element.
        largest = result.item(result.argmax())
        if largest == largest:
            return result
        return np.where(np.isnan(self), self.dtype.type(0), result)[()]
    if kind == "c":
        raise unfit_dtype("sign", self.dtype)
    return self.copy() if kind == "b" else np.sign(self)


def sgn(self: Array, /) -> Any:
    """Return the sign, of a complex number that of the absolute value 1, and 0 of 0."""
    return np.sign(self) if self.dtype.kind == "c" else sign(self)


def conj_physical(self: Array, /) -> Any:
    """Return conjugates; real numbers and bools, which NumPy refuses, are their own."""
    return self.conjugate() if self.dtype.kind == "c" else self.copy()


def _sign_of_many(x: Array) -> Any:
    """Return the signs of floating point numbers, by two comparisons.

    NaN is neither above nor below 0. To compare twice is quicker than ``np.sign``,
    which uses no vector instructions of the processor, and a search for NaN after it.
    """
    result = np.empty_like(x)
    signs = np.greater(x, 0).view(np.int8)
    np.subtract(signs, np.less(x, 0).view(np.int8), signs)
    np.copyto(result, signs)
    return result


def _again(result: Any) -> Any:
    """Return an array to be written over; NumPy's scalars cannot be."""
    return result if result.ndim else None


def _erf_of_block(x: Array) -> Any:
    size = np.minimum(np.abs(x, dtype=np.float64), _ONE_FROM)
    small = size <= _SMALL
    large = ~small
    result = np.empty_like(size)
    result[small] = _erf_of_small(size[small])
    result[large] = _erf_of_large(size[large])
    return np.copysign(result, x)


def _erf_of_small(x: Array) -> Array:
    square = x * x
    numerator = _polynomial(_SMALL_NUMERATOR, square)
    denominator = _polynomial(_SMALL_DENOMINATOR, square)
    return x * (numerator / denominator)


def _erf_of_large(x: Array) -> Array:
    numerator = _polynomial(_LARGE_NUMERATOR, x)
    denominator = _polynomial(_LARGE_DENOMINATOR, x)
    rest: Array = np.exp(-x * x) * (numerator / denominator)
    return 1 - rest


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Return the value of a polynomial, by Horner's rule."""
    value: Array = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value *= x
        value += coefficient
    return value
