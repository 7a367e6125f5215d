"""Gradients of largest and smallest elements."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from .reduction import Dims, kept
from .shapes import Shape


def gradient_to_ties(
    grad: Any, self: Any, result: Any, dim: Dims = None, keepdim: bool = False
) -> Any:
    """Give each extreme element an equal part of the gradient."""
    ties = _ties(self, result, dim, keepdim)
    parts = ops.div(kept(grad, self.ndim, dim, keepdim), ops.sum(ties, dim, True))
    # Of NaN none is the extreme one, and what is shared among none is NaN.
    return ops.mul(ties, parts)


def mean_of_ties(
    self_t: Any, self: Any, result: Any, dim: Dims = None, keepdim: bool = False
) -> Any:
    """Return the mean of the tangents of the extreme elements."""
    ties = _ties(self, result, dim, keepdim)
    total = ops.sum(ops.mul(ties, self_t), dim, keepdim)
    return ops.div(total, ops.sum(ties, dim, keepdim))


def _ties(self: Any, result: Any, dim: Dims, keepdim: bool) -> Any:
    return ops.eq(self, kept(result, self.ndim, dim, keepdim))


# --- picked along a dimension ---------------------------------------------------------


def gradient_to_picked(
    grad: Any, shape: Shape, dim: int, indices: Any, keepdim: bool = True
) -> Any:
    """Give the gradient to the elements that were picked, one at each index."""
    grad = kept(grad, len(shape), dim, keepdim)
    indices = kept(indices, len(shape), dim, keepdim)
    return ops.scatter_add(ops.new_zeros(grad, shape), dim, indices, grad)


def picked(self_t: Any, dim: int, indices: Any, keepdim: bool = True) -> Any:
    """Return the tangents of the elements that were picked, one at each index."""
    if keepdim or self_t.ndim == 0:
        return ops.gather(self_t, dim, indices)
    tangents = ops.gather(self_t, dim, ops.unsqueeze(indices, dim))
    return ops.squeeze(tangents, dim)
