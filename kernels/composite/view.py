"""Composites that see an array in another shape or another order of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError, DataNeededError
from .dims import wrapped


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
    taken = _each_once("source", source, self.ndim)
    places = _each_once("destination", destination, self.ndim)
    if self.ndim == 0:
        return ops.alias(self)
    order = [dim for dim in range(self.ndim) if dim not in taken]
    for place, dim in sorted(zip(places, taken, strict=True)):
        order.insert(place, dim)
    return ops.permute(self, order)


def movedim_int(self: Any, source: int, destination: int) -> Any:
    """Kernel of movedim.int."""
    return ops.movedim(self, [source], [destination])


def _each_once(argument: str, dims: Sequence[int], ndim: int) -> list[int]:
    """Return dimensions counted from the start; raise where one is there twice."""
    found = [wrapped(dim, ndim) for dim in dims]
    if len(set(found)) != len(found):
        raise ArgumentValueError(
            f"{argument} is {list(dims)}, which names a dimension twice"
        )
    return found


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
