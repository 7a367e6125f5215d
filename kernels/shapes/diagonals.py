"""Rules of triangles of matrices, and of matrices made of diagonals."""

from __future__ import annotations

from typing import Any

from ...runtime.errors import ArgumentValueError
from ..numpy.diagonals import check_matrices
from ..shaped import Shaped
from .sizes import wrap_dims
from .spec import ArraySpec, alike


def tril(self: Shaped, diagonal: Any = 0) -> ArraySpec:
    """Rule of tril."""
    check_matrices("tril", self)
    return alike(self)


def triu(self: Shaped, diagonal: Any = 0) -> ArraySpec:
    """Rule of triu."""
    check_matrices("triu", self)
    return alike(self)


def diag_embed(
    self: Shaped, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> ArraySpec:
    """Rule of diag_embed."""
    if self.ndim == 0:
        raise ArgumentValueError("diag_embed takes arrays with dimensions")
    axes = wrap_dims([dim1, dim2], self.ndim + 1, "dim1 and dim2")
    size = self.shape[-1] + abs(offset) if offset else self.shape[-1]
    shape = [*self.shape[:-1]]
    for axis in sorted(axes):
        shape.insert(axis, size)
    return ArraySpec(tuple(shape), self.dtype)
