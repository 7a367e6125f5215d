"""Composites that see an array in another shape or another order of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError, DataNeededError
from .dims import each_once, placed, wrapped


def reshape(self: Any, shape: Sequence[Any]) -> Any:
    """Kernel of reshape."""
    try:
        # Asked first, for an abstract array cannot tell how its elements lie.
        ops.sym_is_contiguous(self)
        return ops.view(self, shape)
    except (ArgumentValueError, DataNeededError):
        return ops.view(ops.clone(self, memory_format="contiguous_format"), shape)


def flatten(self: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Kernel of flatten.using_ints."""
    start, end = (wrapped(dim, self.ndim) for dim in (start_dim, end_dim))
    if start > end:
        raise ArgumentValueError(
            f"start_dim is {start_dim}, which comes after end_dim {end_dim}"
        )
    if self.ndim == 0:
        return ops.reshape(self, [1])
    if start == end:
        return self
    sizes = self.shape
    size = prod(sizes[start : end + 1])
    return ops.reshape(self, [*sizes[:start], size, *sizes[end + 1 :]])


def movedim(self: Any, source: Sequence[int], destination: Sequence[int]) -> Any:
    """Kernel of movedim.intlist."""
    if len(source) != len(destination):
        raise ArgumentValueError(
            f"source names {len(source)} dimensions, destination {len(destination)}"
        )
    taken = each_once("source", source, self.ndim)
    places = each_once("destination", destination, self.ndim)
    if self.ndim == 0:
        return ops.alias(self)
    order = [dim for dim in range(self.ndim) if dim not in taken]
    for place, dim in sorted(zip(places, taken, strict=True)):
        order.insert(place, dim)
    return ops.permute(self, order)


def movedim_int(self: Any, source: int, destination: int) -> Any:
    """Kernel of movedim.int."""
    return ops.movedim(self, [source], [destination])


def t(self: Any) -> Any:
    """Kernel of t."""
    if self.ndim > 2:
        raise ArgumentValueError(
            f"t takes arrays with at most 2 dimensions, not {self.ndim}; transpose"
            " exchanges two of more"
        )
    return ops.transpose(self, 0, 1) if self.ndim == 2 else ops.alias(self)


def numpy_t(self: Any) -> Any:
    """Kernel of numpy_T."""
    return ops.permute(self, [*range(self.ndim)][::-1])


def matrix_transpose(self: Any) -> Any:
    """Kernel of mT."""
    if self.ndim < 2:
        raise ArgumentValueError(
            f"mT takes arrays with 2 dimensions or more, not {self.ndim}"
        )
    return ops.transpose(self, -2, -1)


def squeeze(self: Any) -> Any:
    """Kernel of squeeze."""
    return ops.squeeze(self, [*range(self.ndim)])


def unbind(self: Any, dim: int = 0) -> Any:
    """Kernel of unbind.int."""
    axis = placed(dim, self.ndim)
    return [ops.select(self, axis, index) for index in range(self.shape[axis])]


def chunk(self: Any, chunks: int, dim: int = 0) -> Any:
    """Kernel of chunk."""
    if chunks < 1:
        raise ArgumentValueError(f"chunks is {chunks}; an array is cut into 1 or more")
    size = self.shape[placed(dim, self.ndim)]
    if size == 0:
        return ops.split_with_sizes(self, [0] * chunks, dim)
    return ops.split(self, (size + chunks - 1) // chunks, dim)


def narrow(self: Any, dim: int, start: Any, length: Any) -> Any:
    """Kernel of narrow."""
    axis = placed(dim, self.ndim)
    size = self.shape[axis]
    first = start + size if start < 0 else start
    if length < 0 or first < 0 or first + length > size:
        raise ArgumentValueError(
            f"{length} elements from {start} on are not there; the dimension has {size}"
        )
    return ops.slice(self, axis, first, first + length)


def swapaxes(self: Any, axis0: int, axis1: int) -> Any:
    """Kernel of swapaxes."""
    return ops.transpose(self, axis0, axis1)


def swapdims(self: Any, dim0: int, dim1: int) -> Any:
    """Kernel of swapdims."""
    return ops.transpose(self, dim0, dim1)


def expand_as(self: Any, other: Any) -> Any:
    """Kernel of expand_as."""
    return ops.expand(self, other.shape)


def view_as(self: Any, other: Any) -> Any:
    """Kernel of view_as."""
    return ops.view(self, other.shape)


def reshape_as(self: Any, other: Any) -> Any:
    """Kernel of reshape_as."""
    return ops.reshape(self, other.shape)


def contiguous(self: Any, *, memory_format: Any = "contiguous_format") -> Any:
    """Kernel of contiguous."""
    try:
        if ops.sym_is_contiguous(self, memory_format):
            return self
    except DataNeededError:
        pass  # Nobody knows of an abstract array; a copy is what it is for certain.
    return ops.clone(self, memory_format=memory_format)


def ravel(self: Any) -> Any:
    """Kernel of ravel."""
    return ops.view(ops.contiguous(self), [-1])
