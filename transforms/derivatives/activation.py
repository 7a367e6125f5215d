"""Gradients of activation functions."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any, Final

from ... import generated as ops

Number = int | float

#: The density of the normal distribution at x is this times exp(-x^2 / 2).
_DENSITY: Final = 1 / sqrt(2 * pi)
#: GELU by tanh is x (1 + tanh(this * (x + 0.044715 x^3))) / 2.
_TANH_SCALE: Final = sqrt(2 / pi)
_CUBE: Final = 0.044715


def gelu_gradient(grad: Any, self: Any, approximate: str) -> Any:
    """Return the gradient of x times the normal distribution up to x."""
    if approximate == "none":
        slope = _normal_slope(self)
    else:
        slope = _tanh_slope(self)
    return ops.mul(grad, slope)


def _normal_slope(self: Any) -> Any:
    distribution = ops.mul(ops.add(ops.erf(ops.mul(self, sqrt(0.5))), 1), 0.5)
    density = ops.mul(ops.exp(ops.mul(ops.mul(self, self), -0.5)), _DENSITY)
    return ops.add(distribution, ops.mul(self, density))


def _tanh_slope(self: Any) -> Any:
    square = ops.mul(self, self)
    inner = ops.mul(self, ops.add(ops.mul(square, _CUBE), 1))
    spread = ops.tanh(ops.mul(inner, _TANH_SCALE))
    inner_slope = ops.mul(ops.add(ops.mul(square, 3 * _CUBE), 1), _TANH_SCALE)
    spread_slope = ops.mul(ops.sub(1, ops.mul(spread, spread)), inner_slope)
    return ops.mul(ops.add(ops.add(spread, 1), ops.mul(self, spread_slope)), 0.5)


def elu_gradient(
    grad: Any, self: Any, alpha: Number, scale: Number, input_scale: Number
) -> Any:
    """Return the gradient of ELU; that of 0 is the one from below."""
    # Clamped, for what is positive is not taken from here and might be too large.
    below = ops.exp(ops.mul(ops.clamp(self, None, 0), input_scale))
    falling = ops.mul(grad, ops.mul(below, alpha * scale * input_scale))
    return ops.where(ops.le(self, 0), falling, ops.mul(grad, scale))
