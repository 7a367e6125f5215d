"""Gradients of what is picked by indices, and of what is written to them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import generated as ops
from .shapes import Shape, along_dim


def gradient_of_index(grad: Any, shape: Shape, indices: Sequence[Any]) -> Any:
    """Add the gradient up at the places that were read."""
    return ops.index_put(ops.new_zeros(grad, shape), indices, grad, True)


def overwritten_by_index(grad: Any, indices: Sequence[Any], accumulate: bool) -> Any:
    """Return the gradient of what was there before elements were written or added."""
    if accumulate:
        return grad
    return ops.index_put(grad, indices, ops.new_zeros(grad, []))


def gradient_of_index_select(grad: Any, shape: Shape, dim: int, index: Any) -> Any:
    """Add the gradient up at the places that were read along ``dim``."""
    ndim = len(shape)
    if ndim == 0:
        return ops.sum(grad)
    index = ops.reshape(index, [-1])
    return gradient_of_index(grad, shape, along_dim(ndim, dim, index, None))


def gradient_of_gather(grad: Any, shape: Shape, dim: int, index: Any) -> Any:
    """Add the gradient up at the places that were read along ``dim``."""
    return ops.scatter_add(ops.new_zeros(grad, shape), dim, index, grad)


def gradient_of_scatter_source(grad: Any, shape: Shape, dim: int, index: Any) -> Any:
    """Read the gradient where elements were written to; others count for nothing.

    ``shape`` is that of the source, of which only as much is written as the index says.
    """
    return in_corner(ops.gather(grad, dim, index), shape)


def in_corner(array: Any, shape: Shape) -> Any:
    """Add zeros behind each dimension, up to ``shape``."""
    if array.shape == tuple(shape):
        return array
    pad: list[Any] = []
    for size, wanted in zip(array.shape, shape, strict=True):
        pad = [0, wanted - size, *pad]
    return ops.constant_pad_nd(array, pad)


def gradient_of_mask_source(grad: Any, mask: Any, shape: Shape) -> Any:
    """Return the gradient of the elements that were written in order where a mask is.

    The one that went to a place is told by how many places of the mask come before.
    """
    mask = ops.reshape(ops.expand(mask, grad.shape), [-1])
    count = prod(shape)
    # One more than there are, for the gradient of what was not written.
    order = ops.where(mask, ops.sub(ops.cumsum(mask, 0), 1), count)
    flat = ops.new_zeros(grad, [count + 1])
    read = ops.scatter_add(flat, 0, order, ops.reshape(grad, [-1]))
    return ops.reshape(ops.slice(read, 0, 0, count), shape)
