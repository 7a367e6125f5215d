"""Rules of the operators that give a number, and not an array."""

from __future__ import annotations

from typing import Any, NoReturn

from ...runtime.errors import DataNeededError
from ..shaped import Shaped
from .sizes import Size, product, wrap_dim


def sym_size(self: Shaped, dim: int) -> Size:
    """Rule of sym_size.int: the size itself."""
    return self.shape[wrap_dim(dim, self.ndim)]


def sym_numel(self: Shaped) -> Size:
    """Rule of sym_numel."""
    return product(self.shape)


def sym_stride(self: Shaped, dim: int) -> NoReturn:
    """Rule of sym_stride.int, of which nothing is known but that ``dim`` exists."""
    wrap_dim(dim, self.ndim)
    raise DataNeededError("the result of sym_stride.int")


def sym_storage_offset(self: Shaped) -> NoReturn:
    """Rule of sym_storage_offset, of which nothing is known."""
    raise DataNeededError("the result of sym_storage_offset")


def sym_is_contiguous(self: Shaped, memory_format: Any = None) -> NoReturn:
    """Rule of sym_is_contiguous, of which nothing is known."""
    raise DataNeededError("the result of sym_is_contiguous")


def local_scalar_dense(self: Shaped) -> NoReturn:
    """Rule of _local_scalar_dense, of which nothing is known."""
    raise DataNeededError("the result of _local_scalar_dense")
