"""Gradients of powers, of the base and of the exponent."""

from __future__ import annotations

import cmath
import math
from typing import Any

from ... import generated as ops
from ...runtime.writing import kind_of
from .complex_numbers import conj, is_complex, real_part


def base_gradient(grad: Any, self: Any, exponent: Any) -> Any:
    """Return the gradient of the base: 0 where the exponent is 0, even at base 0."""
    if kind_of(exponent) is not None:
        # 0 times the power -1 of 0 would not be 0.
        constant = ops.logical_and(ops.eq(exponent, 0), ops.eq(self, 0))
        power = ops.pow(self, ops.where(constant, 0, ops.sub(exponent, 1)))
        return ops.mul(grad, conj(ops.mul(power, exponent)))
    if exponent == 0:
        return ops.zeros_like(grad)
    slope = ops.mul(ops.pow(self, exponent - 1), exponent)
    return ops.mul(grad, conj(slope))


def exponent_gradient(grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """Return the gradient of the exponent: 0 at base 0, unless that is a pole."""
    if kind_of(self) is None:
        if self != 0:
            factor = _log(self, is_complex(exponent))
            return ops.mul(grad, conj(ops.mul(result, factor)))
        self = ops.full_like(exponent, self)
    constant = ops.logical_and(ops.eq(self, 0), ops.ge(real_part(exponent), 0))
    logarithm = ops.log(ops.where(constant, 1, self))
    return ops.mul(grad, conj(ops.mul(result, logarithm)))


def _log(number: Any, in_plane: bool) -> complex:
    """Return the logarithm of a number; on the real line negative ones have none."""
    if in_plane or isinstance(number, complex):
        return cmath.log(number)
    return math.log(number) if number > 0 else math.nan
