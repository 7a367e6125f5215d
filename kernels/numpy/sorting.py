"""Kernels that sort, and that pick the first elements of the sorted order.

NaN comes after all numbers, and so first in descending order.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentValueError, DtypeError
from ..shaped import Shaped
from ..variants import out
from .arrays import Array
from .dims import as_axes

_WHOLE: Final = slice(None)
_BACKWARD: Final = slice(None, None, -1)


def sort(self: Array, dim: int = -1, descending: bool = False) -> tuple[Any, Any]:
    """Kernel of sort."""
    check_kind("sort", self, "c")
    if self.ndim == 0:
        return _alone(self, dim)
    axis = normalize_axis_index(dim, self.ndim)
    indices = _sorting_indices(self, axis, descending)
    return _take(self, indices, axis), indices


def topk(
    self: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Any, Any]:
    """Kernel of topk."""
    check_kind("topk", self, "cb")
    axis = normalize_axis_index(dim, self.ndim) if self.ndim else 0
    size = self.shape[axis] if self.ndim else 1
    check_k(k, dim, size)
    if self.ndim == 0:
        return _alone(self, dim)
    if k == size:
        return sort(self, axis, largest)
    indices = _extreme_indices(self, k, axis, largest)
    values = _take(self, indices, axis)
    if sorted:
        order = _sorting_indices(values, axis, largest)
        return _take(values, order, axis), _take(indices, order, axis)
    return values, indices


sort_out = out(sort, "values", "indices")
topk_out = out(topk, "values", "indices")


def _sorting_indices(self: Array, axis: int, descending: bool) -> Array:
    """Return the indices that sort ``self``; equal elements stay in their order."""
    if not descending:
        return self.argsort(axis, kind="stable")
    # Sorted from the far end, so that turning the result round keeps that order.
    backward = (_WHOLE,) * axis + (_BACKWARD,)
    indices: Array = self[backward].argsort(axis, kind="stable")[backward]
    mirrored: Array = np.subtract(self.shape[axis] - 1, indices)
    return mirrored


def _extreme_indices(self: Array, k: int, axis: int, largest: bool) -> Array:
    """Return the indices of the ``k`` largest or smallest elements, in any order.

    ``k`` is less than there are elements.
    """
    size = self.shape[axis]
    first = size - k if largest else 0
    # The element that those asked for lie on one side of, once all are parted.
    border = min(first, size - 1) if largest else k
    chosen = (_WHOLE,) * axis + (slice(first, first + k),)
    return self.argpartition(border, axis)[chosen].copy()


def _take(self: Array, indices: Array, axis: int) -> Array:
    # The short way for one dimension is five times as fast.
    return self.take(indices) if self.ndim == 1 else _take_along(self, indices, axis)


_take_along: Any = np.take_along_axis


def _alone(self: Array, dim: int) -> tuple[Any, Any]:
    """Return an array without dimensions, which is its own order, and its index."""
    as_axes(self, dim)
    return self[()], np.int64(0)


def check_k(k: int, dim: int, size: int) -> None:
    """Raise ArgumentValueError unless so many elements can be picked."""
    if not 0 <= k <= size:
        raise ArgumentValueError(f"k is {k}; dimension {dim} has {size} elements")


def check_kind(operator: str, self: Shaped, refused: str) -> None:
    """Raise DtypeError for an array of one of the kinds of dtypes refused."""
    if self.dtype.kind in refused:
        raise DtypeError(f"{operator} takes no array of dtype {self.dtype}")
