"""Pointwise composites that choose, element by element, among arrays and numbers."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError, DtypeError
from ...runtime.writing import kind_of
from ..dtypes import check_floating, check_ordered, dtype_or_type, is_bool
from ..variants import in_place, out
from .dims import broadcast

Number = bool | int | float | complex


def masked_fill(self: Any, mask: Any, value: Number) -> Any:
    """Kernel of masked_fill.Scalar."""
    _check_mask(mask)
    # A number in the place of the array has no dtype that the value has to take on.
    filling = ops.new_full(self, [], value) if hasattr(self, "dtype") else value
    return ops.where(mask, filling, self)


def masked_fill_tensor(self: Any, mask: Any, value: Any) -> Any:
    """Kernel of masked_fill.Tensor."""
    _check_mask(mask)
    if value.ndim:
        raise ArgumentValueError(
            f"value has {value.ndim} dimensions; it must be an array without any"
        )
    return ops.where(mask, ops.to(value, self.dtype), self)


def _check_mask(mask: Any) -> None:
    if not is_bool(mask):
        raise DtypeError(f"mask has dtype {dtype_or_type(mask)}; it must be bool")


def masked_select(self: Any, mask: Any) -> Any:
    """Kernel of masked_select."""
    _check_mask(mask)
    shape = broadcast(self.shape, mask.shape) or [1]
    return ops.index(ops.expand(self, shape), [ops.expand(mask, shape)])


def isfinite(self: Any) -> Any:
    """Kernel of isfinite."""
    return ops.logical_not(ops.logical_or(ops.isnan(self), ops.isinf(self)))


def lerp(self: Any, end: Any, weight: Any) -> Any:
    """Kernel of lerp.Scalar."""
    _check_ends(self, end)
    _check_floating(self)
    if isinstance(weight, complex) and kind_of(self) == "f":
        raise ArgumentValueError(
            f"weight is {weight!r}; the arrays are of real numbers"
        )
    way = ops.sub(end, self)
    # From the nearer end, so that a weight of 1 gives the very end.
    if abs(weight) < 0.5:
        return ops.add(self, ops.mul(way, weight))
    return ops.sub(end, ops.mul(way, 1 - weight))


def lerp_tensor(self: Any, end: Any, weight: Any) -> Any:
    """Kernel of lerp.Tensor."""
    if not hasattr(weight, "ndim"):
        return lerp(self, end, weight)
    _check_ends(self, end)
    if weight.ndim and weight.dtype != (own := dtype_or_type(self)):
        raise DtypeError(f"weight has dtype {weight.dtype}, the arrays have {own}")
    way = ops.sub(end, self)
    there = ops.mul(way, weight)
    _check_floating(there)
    back = ops.mul(way, ops.rsub(weight, 1))
    near = ops.lt(ops.abs(weight), 0.5)
    return ops.where(near, ops.add(self, there), ops.sub(end, back))


def lerp_tensor_out(self: Any, end: Any, weight: Any, *, out: Any) -> Any:
    """Kernel of lerp.Tensor_out."""
    # As in PyTorch: a weight without dimensions may have another dtype than the result.
    write = _write_exact if getattr(weight, "ndim", 0) else _write_casting
    return write(self, end, weight, out=out)


def _check_ends(self: Any, end: Any) -> None:
    start, stop = dtype_or_type(self), dtype_or_type(end)
    if start != stop:
        raise DtypeError(f"lerp takes arrays of one dtype, not {start} and {stop}")


def _check_floating(self: Any) -> None:
    if kind_of(self) not in ("f", "c", None):
        raise DtypeError(
            f"lerp takes floating-point and complex arrays, not {dtype_or_type(self)}"
        )


def softplus(self: Any, beta: Number = 1, threshold: Number = 20) -> Any:
    """Kernel of softplus."""
    check_floating("softplus", self)
    scaled = ops.mul(self, beta)
    # Clamped, for what is above the threshold is not taken and might be too large.
    curved = ops.div(ops.log1p(ops.exp(ops.clamp(scaled, None, threshold))), beta)
    return ops.where(ops.gt(scaled, threshold), self, curved)


def silu(self: Any) -> Any:
    """Kernel of silu."""
    if kind_of(self) not in ("f", "c", None):
        raise DtypeError(f"silu takes floating-point arrays, not {self.dtype}")
    return ops.mul(self, ops.sigmoid(self))


def threshold(self: Any, threshold: Number, value: Number) -> Any:
    """Kernel of threshold."""
    check_ordered("threshold", self)
    return ops.where(ops.le(self, threshold), ops.new_full(self, [], value), self)


_write_exact, _write_casting = out(lerp_tensor), out(lerp_tensor, casting=True)
masked_fill_, masked_fill_tensor_ = in_place(masked_fill), in_place(masked_fill_tensor)
lerp_, lerp_out = in_place(lerp), out(lerp, casting=True)
lerp_tensor_ = in_place(lerp_tensor)
masked_select_out = out(masked_select)
softplus_out, silu_, silu_out = out(softplus), in_place(silu), out(silu)
threshold_, threshold_out = in_place(threshold), out(threshold, casting=True)
