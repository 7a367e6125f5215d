"""Gradients of pointwise operators that take more than a line.

Where ``where`` chooses, what is not chosen is computed too. Its operands are made such
that it is finite, for the derivative of that choice is 0 times what was not chosen.
"""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from .complex_numbers import conj

# --- division -------------------------------------------------------------------------


def truncated_quotient(self: Any, other: Any) -> Any:
    """Return how many times ``fmod`` takes ``other`` away."""
    return ops.div(self, other, rounding_mode="trunc")


def floored_quotient(self: Any, other: Any) -> Any:
    """Return how many times ``remainder`` takes ``other`` away."""
    return ops.div(self, other, rounding_mode="floor")


def dividend_gradient(grad: Any, other: Any, rounding_mode: str | None) -> Any:
    """Return the gradient of the dividend: zeros if the quotient is rounded."""
    if rounding_mode is None:
        return ops.div(grad, conj(other))
    return ops.zeros_like(grad)


def division_gradients(
    grad: Any, other: Any, result: Any, rounding_mode: str | None
) -> tuple[Any, Any]:
    """Return the gradients of dividend and divisor: zeros if the result is rounded."""
    to_dividend = dividend_gradient(grad, other, rounding_mode)
    if rounding_mode is not None:
        return to_dividend, to_dividend
    return to_dividend, ops.neg(ops.mul(to_dividend, conj(result)))


def division_tangent(
    self_t: Any, other_t: Any, other: Any, result: Any, rounding_mode: str | None
) -> Any:
    """Return the tangent of a quotient: zeros if it is rounded."""
    if rounding_mode is not None:
        return ops.zeros_like(result)
    return ops.div(ops.sub(self_t, ops.mul(other_t, result)), other)


# --- bounds ---------------------------------------------------------------------------


def unclamped(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """Return the gradient where ``self`` is within the bounds, and at them; else 0."""
    for bound, within in ((min, ops.ge), (max, ops.le)):
        if bound is not None:
            grad = ops.where(within(self, bound), grad, 0)
    return grad


def clamped_below(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """Return the gradient where the result is the lower bound; else 0."""
    taken = ops.lt(self, min)
    if max is not None:
        taken = ops.logical_and(taken, ops.lt(min, max))
    return ops.where(taken, grad, 0)


def clamped_above(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """Return the gradient where the result is the upper bound, which goes first."""
    taken = ops.gt(self, max)
    if min is not None:
        taken = ops.logical_or(taken, ops.gt(min, max))
    return ops.where(taken, grad, 0)


# --- angles ---------------------------------------------------------------------------


def atan2_gradients(grad: Any, self: Any, other: Any) -> tuple[Any, Any]:
    """Return the gradients of the angle of (other, self); 0 where both are 0."""
    square = ops.add(ops.mul(self, self), ops.mul(other, other))
    zero = ops.eq(square, 0)
    grad = ops.div(ops.where(zero, 0, grad), ops.where(zero, 1, square))
    return ops.mul(grad, other), ops.neg(ops.mul(grad, self))


def acosh_slope(self: Any) -> Any:
    """Return the derivative of acosh.

    Two roots, since the root of the product has another sign in half of the plane.
    """
    return ops.mul(ops.rsqrt(ops.sub(self, 1)), ops.rsqrt(ops.add(self, 1)))
