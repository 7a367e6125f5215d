"""Division that rounds, and what it leaves over, of integers and of floats.

NumPy warns where an integer is divided by zero, and gives 0. Here that is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DivisionByZeroError
from .arrays import Array, Scalar
from .families import Kernels, binary, with_number
from .rules import Ufunc, like_ufunc


def _of_integers(divide: Callable[[Array, Array], Any], name: str) -> Ufunc:
    """Return a division of integers that refuses zeros among the divisors."""

    def divided(dividend: Array, divisor: Array) -> Any:
        has_zeros = np.count_nonzero(divisor) != divisor.size
        if has_zeros and np.broadcast(dividend, divisor).size:
            raise DivisionByZeroError(name)
        return divide(dividend, divisor)

    return like_ufunc(divided)


def _truncated_integers(dividend: Array, divisor: Array) -> Any:
    quotient, remainder = np.divmod(dividend, divisor)
    # Rounded down already: one too low where it is negative and not exact.
    return np.add(quotient, (quotient < 0) & (remainder != 0))


def _truncated(dividend: Array, divisor: Array) -> Any:
    return np.trunc(np.divide(dividend, divisor))


_FMOD: Final[dict[str, Any]] = {
    "refused": "bc",
    "integers": _of_integers(np.fmod, "fmod"),
}
_REMAINDER: Final[dict[str, Any]] = {
    "refused": "bc",
    "integers": _of_integers(np.remainder, "remainder"),
}
fmod, fmod_, fmod_out = binary(np.fmod, **_FMOD)
fmod_number, fmod_number_ = with_number(np.fmod, **_FMOD)
remainder, remainder_, remainder_out = binary(np.remainder, **_REMAINDER)
remainder_number, remainder_number_ = with_number(np.remainder, **_REMAINDER)

div, div_, div_out = binary(np.divide, floating=True)
_, div_number_ = with_number(np.divide, floating=True)

#: The kernels of each rounding_mode, for arrays and numbers alike.
_ROUNDED: Final[dict[str | None, Kernels]] = {
    None: (div, div_, div_out),
    "floor": binary(
        np.floor_divide, "bc", integers=_of_integers(np.floor_divide, "div")
    ),
    "trunc": binary(
        like_ufunc(_truncated),
        "bc",
        integers=_of_integers(_truncated_integers, "div"),
    ),
}


def div_rounded(
    self: Array, other: Array | Scalar, *, rounding_mode: str | None
) -> Any:
    """Kernel of div.Tensor_mode and div.Scalar_mode."""
    return rounded(rounding_mode)[0](self, other)


def div_rounded_(
    self: Array, other: Array | Scalar, *, rounding_mode: str | None
) -> Any:
    """Kernel of div_.Tensor_mode and div_.Scalar_mode."""
    return rounded(rounding_mode)[1](self, other)


def div_rounded_out(
    self: Array, other: Array, *, rounding_mode: str | None, out: Array
) -> Any:
    """Kernel of div.out_mode."""
    return rounded(rounding_mode)[2](self, other, out=out)


def rounded(rounding_mode: str | None) -> Kernels:
    """Return the kernels of a rounding mode.

    Raises ArgumentValueError for one that is unknown.
    """
    try:
        return _ROUNDED[rounding_mode]
    except KeyError:
        modes = "None, 'trunc' or 'floor'"
        raise ArgumentValueError(
            f"rounding_mode is {rounding_mode!r}; it can be {modes}"
        ) from None
