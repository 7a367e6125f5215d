"""Rules of what bounds elements and chooses among them, and of activation functions."""

from __future__ import annotations

from typing import Any, Final

from ..composite.activation import check_approximate, check_softmax, limits
from ..dtypes import check_floating, unordered
from ..numpy.activation import check_condition, clamp_dtype, unbounded
from ..numpy.promotion import result_dtype
from ..shaped import Shaped
from .pointwise import binary_by, common_shape, dtype_of
from .sizes import is_empty, wrap_dim
from .spec import ArraySpec, Operand, alike

#: What two operands are that elements are chosen of.
_chosen: Final = binary_by(result_dtype)


def relu(self: Shaped) -> ArraySpec:
    """Rule of relu."""
    if self.dtype.kind not in "fiu":
        raise unordered("relu", self)
    return alike(self)


def clamp(self: Any, min: Any = None, max: Any = None) -> ArraySpec:
    """Rule of clamp and clamp.Tensor."""
    dtype = clamp_dtype(self, min, max)
    bounds = [each for each in (min, max) if each is not None]
    if not bounds:
        raise unbounded()
    return ArraySpec(common_shape(self, *bounds), dtype)


def nan_to_num(
    self: Shaped, nan: Any = None, posinf: Any = None, neginf: Any = None
) -> ArraySpec:
    """Rule of nan_to_num."""
    return alike(self)


def where(condition: Any, self: Operand, other: Operand) -> ArraySpec:
    """Rule of where.self."""
    check_condition(ArraySpec(shape=(), dtype=dtype_of(condition)))
    chosen = _chosen(self, other)
    return ArraySpec(common_shape(chosen, condition), chosen.dtype)


def gelu(self: Shaped, *, approximate: str = "none") -> ArraySpec:
    """Rule of gelu."""
    check_floating("gelu", self)
    check_approximate(approximate)
    return alike(self)


def elu(
    self: Shaped, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1
) -> ArraySpec:
    """Rule of elu."""
    check_floating("elu", self)
    return ArraySpec(self.shape, result_dtype(self, alpha, scale, input_scale))


def leaky_relu(self: Shaped, negative_slope: Any = 0.01) -> ArraySpec:
    """Rule of leaky_relu."""
    check_floating("leaky_relu", self)
    return ArraySpec(self.shape, result_dtype(self, negative_slope))


def hardtanh(self: Shaped, min_val: Any = -1, max_val: Any = 1) -> ArraySpec:
    """Rule of hardtanh."""
    return clamp(self, *limits("hardtanh", self, min_val, max_val))


def softmax(self: Shaped, dim: int, half_to_float: bool) -> ArraySpec:
    """Rule of _softmax."""
    return _softmax("_softmax", self, dim, half_to_float)


def log_softmax(self: Shaped, dim: int, half_to_float: bool) -> ArraySpec:
    """Rule of _log_softmax."""
    return _softmax("_log_softmax", self, dim, half_to_float)


def _softmax(name: str, self: Shaped, dim: int, half_to_float: bool) -> ArraySpec:
    check_softmax(name, self, half_to_float)
    if not is_empty(self.shape):
        wrap_dim(dim, self.ndim or 1)
    return alike(self)
