"""Shapes: back to the shape that an argument had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ... import generated as ops

#: Sizes may be symbolic: they are counted with, and compared only where it decides.
Shape: TypeAlias = Sequence[Any]


def contiguous(array: Any) -> Any:
    """Return a copy whose elements lie side by side in memory."""
    return ops.clone(array, memory_format="contiguous_format")


def wrapped(dim: int, ndim: int) -> int:
    """Return a dimension that may count from the end as one that does not."""
    return dim % ndim if ndim else 0


def along_dim(ndim: int, dim: int, value: Any, others: Any) -> list[Any]:
    """Return a list with ``value`` for one dimension and ``others`` for all others."""
    listed = [others] * ndim
    listed[wrapped(dim, ndim)] = value
    return listed


def unsqueezed(grad: Any, shape: Shape, dims: Sequence[int]) -> Any:
    """Give back the dimensions that were squeezed: those of size 1 among ``dims``."""
    ndim = len(shape)
    for dim in sorted(wrapped(dim, ndim) for dim in dims):
        if ndim and shape[dim] == 1:
            grad = ops.unsqueeze(grad, dim)
    return grad


def inverse_permutation(dims: Sequence[int]) -> list[int]:
    """Return the permutation that takes dimensions back to where they were."""
    ndim = len(dims)
    return sorted(range(ndim), key=[dim % ndim for dim in dims].__getitem__)


# --- joining --------------------------------------------------------------------------


def joined_parts(grad: Any, tensors: Sequence[Any], dim: int) -> list[Any]:
    """Return the part of the gradient that belongs to each array that was joined."""
    parts: list[Any] = []
    start: Any = 0
    for tensor in tensors:
        if tensor.ndim != grad.ndim:
            # Arrays of shape (0,) are left out, whatever the shapes of the others.
            parts.append(ops.zeros_like(tensor))
            continue
        end = start + tensor.shape[dim]
        parts.append(ops.slice(grad, dim, start, end))
        start = end
    return parts


def stacked_parts(grad: Any, tensors: Sequence[Any], dim: int) -> list[Any]:
    """Return the part of the gradient that belongs to each array that was stacked."""
    return [ops.select(grad, dim, index) for index in range(len(tensors))]


# --- repeating and padding ------------------------------------------------------------


def sum_of_repeats(grad: Any, shape: Shape, repeats: Shape) -> Any:
    """Add up the parts of the gradient that belong to the same element."""
    added = len(repeats) - len(shape)
    sizes: list[Any] = [*repeats[:added]]
    for count, size in zip(repeats[added:], shape, strict=True):
        sizes += [count, size]
    dims = [*range(added), *range(added, len(sizes), 2)]
    return ops.sum(ops.reshape(grad, sizes), dims) if dims else grad


def unpadded(grad: Any, pad: Shape) -> Any:
    """Cut off what was padded, and pad with zeros what was cut off."""
    return ops.constant_pad_nd(grad, [-width for width in pad])
