"""Kernels that ask whether any elements, or all, are not 0.

They call the ufunc's ``reduce``, which is what ``np.any`` does after two Python calls.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import DtypeError
from .arrays import Array, Dims, check_shape
from .dims import Axes, as_axes

# Any, as NumPy's stubs lack the calls by position, which are faster than by name.
_or_reduce: Final[Any] = np.logical_or.reduce
_and_reduce: Final[Any] = np.logical_and.reduce

# --- any ------------------------------------------------------------------------------


def any_all(self: Array) -> Any:
    """Kernel of any."""
    return _as_flags(self, _or_reduce(self, None))


def any_dim(self: Array, dim: int, keepdim: bool = False) -> Any:
    """Kernel of any.dim."""
    axes = as_axes(self, dim)
    return _as_flags(self, _or_reduce(self, axes, None, None, keepdim))


def any_dims(self: Array, dim: Dims = None, keepdim: bool = False) -> Any:
    """Kernel of any.dims."""
    axes = _given_axes(self, dim)
    return _as_flags(self, _or_reduce(self, axes, None, None, keepdim))


def any_all_out(self: Array, *, out: Array) -> Array:
    """Kernel of any.all_out."""
    return _write_flags("any", out, _or_reduce(self, None))


def any_dim_out(self: Array, dim: int, keepdim: bool = False, *, out: Array) -> Array:
    """Kernel of any.out."""
    axes = as_axes(self, dim)
    return _write_flags("any", out, _or_reduce(self, axes, None, None, keepdim))


def any_dims_out(
    self: Array, dim: Dims = None, keepdim: bool = False, *, out: Array
) -> Array:
    """Kernel of any.dims_out."""
    axes = _given_axes(self, dim)
    return _write_flags("any", out, _or_reduce(self, axes, None, None, keepdim))


# --- all ------------------------------------------------------------------------------


def all_all(self: Array) -> Any:
    """Kernel of all."""
    return _as_flags(self, _and_reduce(self, None))


def all_dim(self: Array, dim: int, keepdim: bool = False) -> Any:
    """Kernel of all.dim."""
    axes = as_axes(self, dim)
    return _as_flags(self, _and_reduce(self, axes, None, None, keepdim))


def all_dims(self: Array, dim: Dims = None, keepdim: bool = False) -> Any:
    """Kernel of all.dims."""
    axes = _given_axes(self, dim)
    return _as_flags(self, _and_reduce(self, axes, None, None, keepdim))


def all_all_out(self: Array, *, out: Array) -> Array:
    """Kernel of all.all_out."""
    return _write_flags("all", out, _and_reduce(self, None))


def all_dim_out(self: Array, dim: int, keepdim: bool = False, *, out: Array) -> Array:
    """Kernel of all.out."""
    axes = as_axes(self, dim)
    return _write_flags("all", out, _and_reduce(self, axes, None, None, keepdim))


def all_dims_out(
    self: Array, dim: Dims = None, keepdim: bool = False, *, out: Array
) -> Array:
    """Kernel of all.dims_out."""
    axes = _given_axes(self, dim)
    return _write_flags("all", out, _and_reduce(self, axes, None, None, keepdim))


# --- both -----------------------------------------------------------------------------


def _given_axes(self: Array, dim: Dims) -> Axes:
    """Here, and only here, an empty list means no dimension, as it does in PyTorch."""
    return () if dim in ([], ()) else as_axes(self, dim)


def _as_flags(self: Array, flags: Any) -> Any:
    # PyTorch once had uint8 for truth values, and still gives it back.
    return flags.astype(np.uint8) if self.dtype.char == "B" else flags


def _write_flags(name: str, out: Array, flags: Any) -> Array:
    check_shape(out, flags.shape)
    if out.dtype.char not in "?B":
        raise DtypeError(f"out has dtype {out.dtype}; {name} writes bool or uint8")
    np.copyto(out, flags)
    return out
