"""Rules of what sorts, and of what picks the first elements of the sorted order."""

from __future__ import annotations

from typing import Any

from ..numpy.sorting import check_k, check_kind
from ..shaped import Shaped
from .reduction import INT64
from .sizes import replaced, wrap_dim
from .spec import ArraySpec, alike


def sort(
    self: Shaped, dim: int = -1, descending: bool = False
) -> tuple[ArraySpec, ArraySpec]:
    """Rule of sort."""
    check_kind("sort", self, "c")
    wrap_dim(dim, self.ndim or 1)
    return alike(self), ArraySpec(self.shape, INT64)


def topk(
    self: Shaped, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[ArraySpec, ArraySpec]:
    """Rule of topk."""
    check_kind("topk", self, "cb")
    axis = wrap_dim(dim, self.ndim or 1)
    size = self.shape[axis] if self.ndim else 1
    if k is not size:
        check_k(k, dim, size)
    shape = replaced(self.shape, axis, k) if self.ndim else ()
    return ArraySpec(shape, self.dtype), ArraySpec(shape, INT64)
