"""Rules of arithmetic with two operands, division among it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from ..numpy import arithmetic as kernels
from ..numpy import division
from ..numpy.arithmetic import check_alpha, check_exponent
from ..numpy.division import rounded
from ..numpy.promotion import BOOL
from ..shaped import Shaped
from .pointwise import Binary, binary, with_number
from .spec import ArraySpec, Operand

_ONE: Final = 1


def _with_alpha(plain: Binary) -> Callable[..., ArraySpec]:
    """Return the rule of a sum or difference of the one without a factor."""

    def rule(self: Operand, other: Operand, *, alpha: Any = 1) -> ArraySpec:
        result = plain(self, other)
        if alpha is not _ONE:
            check_alpha(alpha, result.dtype)
        return result

    return rule


def _with_alpha_and_number(plain: Binary) -> Callable[..., ArraySpec]:
    """Return the rule of the overload for a number, which takes alpha by position."""

    def rule(self: Shaped, other: Any, alpha: Any = 1) -> ArraySpec:
        result = plain(self, other)
        if alpha is not _ONE:
            check_alpha(alpha, result.dtype)
        return result

    return rule


add = _with_alpha(binary(kernels.add))
add_number = _with_alpha_and_number(with_number(kernels.add))
sub = _with_alpha(binary(kernels.sub))
sub_number = _with_alpha_and_number(with_number(kernels.sub))
mul, mul_number = binary(kernels.mul), with_number(kernels.mul)
atan2 = binary(kernels.atan2)
logaddexp = binary(kernels.logaddexp)
maximum = binary(kernels.maximum)
minimum = binary(kernels.minimum)
pow = binary(kernels.pow)
_pow_number = with_number(kernels.pow)

div, div_number = binary(division.div), with_number(division.div)
fmod, fmod_number = binary(division.fmod), with_number(division.fmod)
remainder, remainder_number = (
    binary(division.remainder),
    with_number(division.remainder),
)

#: The rules of the kernels of each rounding mode, made when it is first asked for.
_rounded = cache(binary)


def div_rounded(
    self: Operand, other: Operand, *, rounding_mode: str | None
) -> ArraySpec:
    """Rule of div.Tensor_mode and div.Scalar_mode."""
    return _rounded(rounded(rounding_mode)[0])(self, other)


def pow_number(self: Any, exponent: Any) -> ArraySpec:
    """Rule of pow.Tensor_Scalar."""
    if type(exponent) is bool and self.dtype is BOOL:
        return ArraySpec(self.shape, BOOL)
    check_exponent(self, exponent)
    return _pow_number(self, exponent)
