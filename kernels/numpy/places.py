"""Where the elements of an index array point along one dimension, and its checks.

PyTorch's rules: an index may be smaller than the array in the other dimensions, does
not count from the end, and an array without dimensions passes as one with one element.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentIndexError, ArgumentValueError, DtypeError
from ..shaped import Shaped
from .arrays import FEW, Array

_INDEX_DTYPES: Final = (np.dtype("int64"), np.dtype("int32"))
# Any, as NumPy's stubs lack the call by position, which is faster than by name.
_minimum_reduce: Final[Any] = np.minimum.reduce


def as_vector(array: Array) -> Array:
    """Return an array without dimensions as a view with one, others as they are."""
    return array if array.ndim else array[None]


def places_along(self: Array, dim: int, index: Array) -> tuple[Array, ...]:
    """Return NumPy's index for what ``index`` points to along ``dim``.

    Raises ArgumentValueError where the shapes do not fit, DtypeError unless the index
    is of int64 or int32, IndexError for a negative index.
    """
    axis = normalize_axis_index(dim, self.ndim or 1)
    check_indices(index)
    self, index = as_vector(self), as_vector(index)
    check_within("index", index, "self", self, axis)
    # In every other dimension the places are those of the index itself.
    places = [_run(size, index.ndim - dim) for dim, size in enumerate(index.shape)]
    places[axis] = index
    return tuple(places)


def check_within(
    name: str, inner: Shaped, outer_name: str, outer: Shaped, axis: int | None = None
) -> None:
    """Refuse an array that is larger than another, but for the dimension ``axis``."""
    if inner.ndim != outer.ndim:
        raise ArgumentValueError(
            f"{name} has {inner.ndim} dimensions and {outer_name} {outer.ndim};"
            " they need the same number"
        )
    for dim, (small, large) in enumerate(zip(inner.shape, outer.shape, strict=True)):
        if dim != axis and small is not large and small > large:
            raise ArgumentValueError(
                f"{name} has shape {inner.shape}, which is larger in dimension {dim}"
                f" than {outer_name} with shape {outer.shape}"
            )


def check_indices(index: Array) -> None:
    """Refuse an index of another dtype than int64 and int32, and negative ones."""
    check_index_dtype(index)
    if index.size and (lowest := _lowest(index)) < 0:
        raise ArgumentIndexError(
            f"index {lowest} is negative; here indices count from 0 only"
        )


def check_index_dtype(index: Shaped) -> None:
    """Raise DtypeError for an index of another dtype than int64 and int32."""
    if index.dtype not in _INDEX_DTYPES:
        raise DtypeError(f"index has dtype {index.dtype}; it can be int64 or int32")


def _lowest(index: Array) -> int:
    """Return the smallest of some indices."""
    few = index.size <= FEW
    lowest: int = index.item(index.argmin()) if few else _minimum_reduce(index, None)
    return lowest


def check_same_dtype(self: Shaped, other: Shaped, name: str) -> None:
    """Refuse an array whose elements would have to be converted to be written."""
    if other.dtype != self.dtype:
        raise DtypeError(
            f"{name} has dtype {other.dtype}, self has {self.dtype}; they must be equal"
        )


def _run(size: int, ndim: int) -> Array:
    """Return the numbers from 0 to ``size``, along the first of ``ndim`` dimensions."""
    run: Array = np.arange(size)
    return run.reshape(size, *(1,) * (ndim - 1))
