"""Gradients of norms."""

from __future__ import annotations

import math
from typing import Any

from ... import generated as ops
from .complex_numbers import conj, real_part
from .reduction import Dims, kept


def norm_gradient(
    grad: Any, self: Any, result: Any, ord: float, dim: Dims, keepdim: bool
) -> Any:
    """Return the gradient of a norm."""
    grad = kept(grad, self.ndim, dim, keepdim)
    return ops.mul(grad, _slope(self, kept(result, self.ndim, dim, keepdim), ord, dim))


def norm_tangent(
    self_t: Any, self: Any, result: Any, ord: float, dim: Dims, keepdim: bool
) -> Any:
    """Return the tangent of a norm."""
    slope = _slope(self, kept(result, self.ndim, dim, keepdim), ord, dim)
    return ops.sum(real_part(ops.mul(conj(slope), self_t)), dim, keepdim)


def _slope(self: Any, norm: Any, ord: float, dim: Dims) -> Any:
    """Return the derivative of a norm by each element, 0 where all of them are 0.

    Equal largest elements, and equal smallest ones, have equal parts of it.
    """
    if ord == 0:
        return ops.zeros_like(self)
    if ord == 1:
        return ops.sgn(self)
    if math.isinf(ord):
        ties = ops.eq(ops.abs(self), norm)
        return ops.mul(ops.sgn(self), ops.div(ties, ops.sum(ties, dim, True)))
    nonzero_norm = ops.where(ops.eq(norm, 0), 1, norm)
    if ord == 2:
        return ops.div(self, nonzero_norm)
    # Of 0 the sign is 0, and the power is not taken from there.
    size = ops.abs(ops.where(ops.eq(self, 0), 1, self))
    return ops.mul(ops.sgn(self), ops.pow(ops.div(size, nonzero_norm), ord - 1))
