"""Gradients of views: zeros, with the gradient in the place of the view."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from .shapes import Shape, inverse_permutation, wrapped


def gradient_of_select(grad: Any, shape: Shape, dim: int, index: Any) -> Any:
    """Return zeros, with the gradient at one index of a dimension."""
    return ops.select_scatter(ops.new_zeros(grad, shape), grad, dim, index)


def gradient_of_slice(
    grad: Any, shape: Shape, dim: int, start: Any, end: Any, step: Any
) -> Any:
    """Return zeros, with the gradient in a slice of a dimension."""
    zeros = ops.new_zeros(grad, shape)
    return ops.slice_scatter(zeros, grad, dim, start, end, step)


def gradient_of_diagonal(
    grad: Any, shape: Shape, offset: int, dim1: int, dim2: int
) -> Any:
    """Return zeros, with the gradient on a diagonal of two dimensions."""
    ndim = len(shape)
    last = [wrapped(dim1, ndim), wrapped(dim2, ndim)]
    dims = [*[dim for dim in range(ndim) if dim not in last], *last]
    zeros = ops.new_zeros(grad, [shape[dim] for dim in dims])
    steps = counted(grad, grad.shape[-1])
    places = [ops.add(steps, max(-offset, 0)), ops.add(steps, max(offset, 0))]
    indices = [*[None] * (ndim - 2), *places]
    filled = ops.index_put(zeros, indices, grad)
    return ops.permute(filled, inverse_permutation(dims))


def counted(like: Any, size: Any) -> Any:
    """Return 0, 1, 2, ... as an array of the library that ``like`` is of."""
    ones = ops.full_like(ops.new_zeros(like, [size], dtype="int64"), 1)
    return ops.sub(ops.cumsum(ones, 0), 1)
