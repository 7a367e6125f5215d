"""Rules of arithmetic with two operands, division among it."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from ..numpy import arithmetic as kernels
from ..numpy import division
from ..numpy.arithmetic import check_alpha, check_exponent
from ..numpy.promotion import BOOL
from ..variants import Kernel
from .pointwise import binary
from .spec import ArraySpec, Operand

_ONE: Final = 1


def _with_alpha(kernel: Kernel) -> tuple[Any, Any]:
    """Return the rules of a sum or difference: with an array, and with a number."""
    plain = binary(kernel)

    def rule(self: Operand, other: Operand, *, alpha: Any = 1) -> ArraySpec:
        result = plain(self, other)
        if alpha is not _ONE:
            check_alpha(alpha, result.dtype)
        return result

    def of_number(self: Operand, other: Any, alpha: Any = 1) -> ArraySpec:
        return rule(self, other, alpha=alpha)

    return rule, of_number


add, add_number = _with_alpha(kernels.add)
sub, sub_number = _with_alpha(kernels.sub)
mul = binary(kernels.mul)
atan2 = binary(kernels.atan2)
maximum = binary(kernels.maximum)
minimum = binary(kernels.minimum)
pow = binary(kernels.pow)

div = binary(division.div)
fmod = binary(division.fmod)
remainder = binary(division.remainder)

#: The rules of the kernels of each rounding mode, made when it is first asked for.
_rounded = cache(binary)


def div_rounded(
    self: Operand, other: Operand, *, rounding_mode: str | None
) -> ArraySpec:
    """Rule of div.Tensor_mode and div.Scalar_mode."""
    return _rounded(division.rounded(rounding_mode)[0])(self, other)


def pow_number(self: Any, exponent: Any) -> ArraySpec:
    """Rule of pow.Tensor_Scalar."""
    if type(exponent) is bool and self.dtype is BOOL:
        return ArraySpec(self.shape, BOOL)
    check_exponent(self, exponent)
    return pow(self, exponent)
