"""Kernels about diagonals: what lies on one side of them, and arrays made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime.errors import ArgumentValueError
from ..shaped import Shaped
from ..variants import in_place, out
from .arrays import Array
from .refusals import named_twice
from .view import diagonal as view_diagonal


def tril(self: Array, diagonal: int = 0) -> Any:
    """Kernel of tril."""
    check_matrices("tril", self)
    return np.tril(self, diagonal)


def triu(self: Array, diagonal: int = 0) -> Any:
    """Kernel of triu."""
    check_matrices("triu", self)
    return np.triu(self, diagonal)


tril_, tril_out = in_place(tril), out(tril)
triu_, triu_out = in_place(triu), out(triu)


def diag_embed(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """Kernel of diag_embed."""
    if self.ndim == 0:
        raise ArgumentValueError("diag_embed takes arrays with dimensions")
    ndim = self.ndim + 1
    axes = [np.lib.array_utils.normalize_axis_index(dim, ndim) for dim in (dim1, dim2)]
    if axes[0] == axes[1]:
        raise named_twice("dim1 and dim2", [dim1, dim2])
    size = self.shape[-1] + abs(offset)
    shape = [*self.shape[:-1]]
    for axis in sorted(axes):
        shape.insert(axis, size)
    made = np.zeros(shape, self.dtype)
    view_diagonal(made, offset, *axes)[...] = self
    return made


def check_matrices(name: str, self: Shaped) -> None:
    """Raise ArgumentValueError for an array with fewer than two dimensions."""
    if self.ndim < 2:
        raise ArgumentValueError(
            f"{name} takes arrays with 2 dimensions or more, not {self.ndim}"
        )
