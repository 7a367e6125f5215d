"""Gradients of sums, means and variances."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from ... import generated as ops
from .complex_numbers import conj, real_part
from .shapes import Shape, wrapped

#: Dimensions as reductions take them: None and nothing mean all of them.
Dims: TypeAlias = int | Sequence[int] | None


def reduced_dims(dim: Dims, ndim: int) -> list[int]:
    """Return the dimensions that a reduction goes over, in order."""
    dims = [dim] if isinstance(dim, int) else dim
    return sorted({wrapped(each, ndim) for each in dims or range(ndim)})


def kept(reduced: Any, ndim: int, dim: Dims, keepdim: bool) -> Any:
    """Return a result of a reduction with the reduced dimensions, of size 1."""
    if not keepdim and ndim:
        for each in reduced_dims(dim, ndim):
            reduced = ops.unsqueeze(reduced, each)
    return reduced


def spread(grad: Any, shape: Shape, dim: Dims = None, keepdim: bool = False) -> Any:
    """Return the gradient of a sum: each element gets that of the sum it is in."""
    return ops.expand(kept(grad, len(shape), dim, keepdim), shape)


def _count(shape: Shape, dim: Dims) -> Any:
    """Return how many elements each result of a reduction is made of."""
    return prod([shape[each] for each in reduced_dims(dim, len(shape)) if shape])


def mean_gradient(
    grad: Any, shape: Shape, dim: Dims = None, keepdim: bool = False
) -> Any:
    """Return the gradient of a mean."""
    return spread(ops.div(grad, _count(shape, dim)), shape, dim, keepdim)


def sum_from_each_on(grad: Any, dim: int) -> Any:
    """Return the gradient of a sum that grows along ``dim``: what follows counts."""
    return ops.flip(ops.cumsum(ops.flip(grad, [dim]), dim), [dim])


# --- variance -------------------------------------------------------------------------


def variance_gradient(
    grad: Any, self: Any, dim: Dims, correction: float | None, keepdim: bool
) -> Any:
    """Return the gradient of a variance."""
    grad = kept(grad, self.ndim, dim, keepdim)
    return ops.mul(grad, _variance_slope(self, dim, correction))


def variance_tangent(
    self_t: Any, self: Any, dim: Dims, correction: float | None, keepdim: bool
) -> Any:
    """Return the tangent of a variance."""
    slope = conj(_variance_slope(self, dim, correction))
    return ops.sum(real_part(ops.mul(self_t, slope)), dim, keepdim)


def deviation_gradient(
    grad: Any,
    self: Any,
    result: Any,
    dim: Dims,
    correction: float | None,
    keepdim: bool,
) -> Any:
    """Return the gradient of a standard deviation, 0 where that is 0."""
    halved = _per_deviation(grad, result)
    return variance_gradient(halved, self, dim, correction, keepdim)


def deviation_tangent(
    self_t: Any,
    self: Any,
    result: Any,
    dim: Dims,
    correction: float | None,
    keepdim: bool,
) -> Any:
    """Return the tangent of a standard deviation, 0 where that is 0."""
    moved = variance_tangent(self_t, self, dim, correction, keepdim)
    return _per_deviation(moved, result)


def _per_deviation(change: Any, result: Any) -> Any:
    """Turn a change of a variance into that of its root."""
    zero = ops.eq(result, 0)
    return ops.div(ops.where(zero, 0, change), ops.mul(ops.where(zero, 1, result), 2))


def _variance_slope(self: Any, dim: Dims, correction: float | None) -> Any:
    """Return twice the distance from the mean, divided as the variance is."""
    distance = ops.sub(self, ops.mean(self, dim, True))
    freedom = _count(self.shape, dim) - (1 if correction is None else correction)
    return ops.div(ops.mul(distance, 2), freedom)
