"""Activation functions, made of pointwise operators and reductions.

The formulas are those of PyTorch's documentation of ``torch.nn.functional``.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any, Final

from ... import generated as ops
from ...runtime.errors import ArgumentValueError
from ...runtime.writing import kind_of
from ..dtypes import check_floating, check_ordered, is_unsigned
from ..variants import in_place, out

Number = int | float

#: GELU is x times the normal distribution up to x, which is (1 + erf(x * this)) / 2.
_ERF_SCALE: Final = sqrt(0.5)
#: Its approximation is tanh(this * (x + 0.044715 x^3)) in the place of that erf;
#: Hendrycks and Gimpel, arXiv:1606.08415.
_TANH_SCALE: Final = sqrt(2 / pi)
_CUBE: Final = 0.044715


def relu(self: Any) -> Any:
    """Kernel of relu."""
    check_ordered("relu", self)
    return ops.clamp(self, 0)


def relu_(self: Any) -> Any:
    """Kernel of relu_."""
    check_ordered("relu_", self)
    return ops.clamp_(self, 0)


def gelu(self: Any, *, approximate: str = "none") -> Any:
    """Kernel of gelu."""
    check_floating("gelu", self)
    check_approximate(approximate)
    if approximate == "none":
        spread = ops.erf(ops.mul(self, _ERF_SCALE))
    else:
        cube = ops.mul(ops.mul(ops.mul(self, self), self), _CUBE)
        spread = ops.tanh(ops.mul(ops.add(self, cube), _TANH_SCALE))
    return ops.mul(ops.mul(self, 0.5), ops.add(spread, 1))


def elu(
    self: Any, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1
) -> Any:
    """Kernel of elu."""
    check_floating("elu", self)
    # Clamped, for what is positive is not taken from here and might be too large.
    below = ops.expm1(ops.mul(ops.clamp(self, None, 0), input_scale))
    above = ops.mul(self, scale)
    return ops.where(ops.gt(self, 0), above, ops.mul(below, alpha * scale))


def hardtanh(self: Any, min_val: Number = -1, max_val: Number = 1) -> Any:
    """Kernel of hardtanh."""
    return ops.clamp(self, *limits("hardtanh", self, min_val, max_val))


def hardtanh_(self: Any, min_val: Number = -1, max_val: Number = 1) -> Any:
    """Kernel of hardtanh_."""
    return ops.clamp_(self, *limits("hardtanh_", self, min_val, max_val))


def hardtanh_out(
    self: Any, min_val: Number = -1, max_val: Number = 1, *, out: Any
) -> Any:
    """Kernel of hardtanh.out."""
    return ops.clamp(self, *limits("hardtanh", self, min_val, max_val), out=out)


def leaky_relu(self: Any, negative_slope: Number = 0.01) -> Any:
    """Kernel of leaky_relu."""
    check_floating("leaky_relu", self)
    return ops.where(ops.gt(self, 0), self, ops.mul(self, negative_slope))


def softmax(self: Any, dim: int, half_to_float: bool) -> Any:
    """Kernel of _softmax."""
    check_softmax("_softmax", self, half_to_float)
    if 0 in self.shape:
        return ops.exp(self)
    raised = ops.exp(_below_zero(self, dim))
    return ops.div(raised, ops.sum(raised, [dim], True))


def log_softmax(self: Any, dim: int, half_to_float: bool) -> Any:
    """Kernel of _log_softmax."""
    check_softmax("_log_softmax", self, half_to_float)
    if 0 in self.shape:
        return ops.exp(self)
    lowered = _below_zero(self, dim)
    return ops.sub(lowered, ops.log(ops.sum(ops.exp(lowered), [dim], True)))


gelu_, gelu_out = in_place(gelu), out(gelu)
elu_, elu_out = in_place(elu), out(elu)
leaky_relu_, leaky_relu_out = in_place(leaky_relu), out(leaky_relu)
softmax_out, log_softmax_out = out(softmax), out(log_softmax)


def check_approximate(approximate: str) -> None:
    """Raise ArgumentValueError for a formula that gelu does not have."""
    if approximate not in ("none", "tanh"):
        choice = "'none' or 'tanh'"
        raise ArgumentValueError(f"approximate is {approximate!r}; it can be {choice}")


def limits(
    name: str, self: Any, min_val: Number, max_val: Number
) -> tuple[Number, Number]:
    """Return the limits as the dtype of the array holds them: it stays what it is."""
    check_ordered(name, self)
    if kind_of(self) != "i":
        return min_val, max_val
    if min_val < 0 and is_unsigned(self):
        raise ArgumentValueError(
            f"{name} with min_val {min_val} takes no array of {self.dtype}"
        )
    return int(min_val), int(max_val)


def check_softmax(name: str, self: Any, half_to_float: bool) -> None:
    """Raise DtypeError unless an array is floating-point, and for half_to_float."""
    check_floating(name, self)
    if half_to_float:
        raise ArgumentValueError(f"half_to_float is True, which {name} does not do")


def _below_zero(self: Any, dim: int) -> Any:
    """Return the array less its maximum along ``dim``, so that exp cannot overflow."""
    return ops.sub(self, ops.amax(self, [dim], True))
