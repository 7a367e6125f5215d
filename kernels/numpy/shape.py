"""Kernels that view, join, pick and cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentValueError
from .arrays import Array, check_shape

_WHOLE: Final = slice(None)


def transpose(self: Array, dim0: int, dim1: int) -> Array:
    """Kernel of transpose.int."""
    try:
        return self.swapaxes(dim0, dim1)
    except AxisError:
        # PyTorch lets an array without dimensions pass as one with dimension 0.
        if self.ndim == 0 and {dim0, dim1} <= {0, -1}:
            return self[...]
        raise


def unsqueeze(self: Array, dim: int) -> Array:
    """Kernel of unsqueeze."""
    axis = normalize_axis_index(dim, self.ndim + 1)
    return self[(_WHOLE,) * axis + (None,)]


def view(self: Array, size: Sequence[int]) -> Array:
    """Kernel of view."""
    return self.reshape(size, copy=False)


def cat(tensors: Sequence[Array], dim: int = 0) -> Array:
    """Kernel of cat."""
    try:
        return np.concatenate(tensors, dim)
    except ValueError:
        kept = _without_empty_vectors(tensors)
        if kept is None:
            raise
        return np.concatenate(kept, dim, dtype=np.result_type(*tensors))


def cat_out(tensors: Sequence[Array], dim: int = 0, *, out: Array) -> Array:
    """Kernel of cat.out."""
    try:
        return np.concatenate(tensors, dim, out=out)
    except ValueError:
        joined = cat(tensors, dim)
        check_shape(out, joined.shape)
        np.copyto(out, joined)
        return out


def index(self: Array, indices: Sequence[Array | None]) -> Any:
    """Kernel of index.Tensor."""
    # As arrays: a NumPy scalar in an index would make a view.
    places = [_WHOLE if i is None else np.asarray(i) for i in indices]
    if set(map(type, places)) <= {slice}:
        raise ArgumentValueError("index needs at least one array of indices")
    return self[tuple(places)]


def split(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    """Kernel of split.Tensor."""
    axis = normalize_axis_index(dim, self.ndim)
    size = self.shape[axis]
    if split_size < 0 or (split_size == 0 and size != 0):
        raise ArgumentValueError(
            f"split_size is {split_size}; a dimension of size {size} is not cut by that"
        )
    before = (_WHOLE,) * axis
    # A dimension of size 0 is one piece.
    starts = range(0, max(size, 1), max(split_size, 1))
    return [self[(*before, slice(start, start + split_size))] for start in starts]


def _without_empty_vectors(tensors: Sequence[Array]) -> list[Array] | None:
    """Leave out arrays of shape (0,), which PyTorch joins with any others.

    None where that leaves all arrays or nothing, so that NumPy's refusal stands.
    """
    kept = [tensor for tensor in tensors if np.shape(tensor) != (0,)]
    return kept if 0 < len(kept) < len(tensors) else None
