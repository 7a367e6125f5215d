"""Rules of what goes over dimensions and leaves fewer, or one number in each place."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ..numpy.arrays import Dims
from ..numpy.dims import as_axes
from ..numpy.dtypes import as_dtype
from ..numpy.extremes import check_ordered, searched
from ..numpy.norms import dtype_of_norm, real_order
from ..numpy.promotion import real_dtype
from ..numpy.reduction import mean_dtype
from ..numpy.variance import check_arguments
from ..shaped import Shaped
from .sizes import Shape, is_empty, without, wrap_dim, wrap_dims
from .spec import ArraySpec

_BOOL: Final = np.dtype("bool")
INT64: Final = np.dtype("int64")

# --- sums, products and means ---------------------------------------------------------


def sum_all(self: Shaped, *, dtype: Any = None) -> ArraySpec:
    """Rule of sum and prod."""
    return ArraySpec((), _sum_dtype(self, dtype))


def sum_dim(
    self: Shaped, dim: Dims, keepdim: bool = False, *, dtype: Any = None
) -> ArraySpec:
    """Rule of sum.dim_IntList and prod.dim_int."""
    dtype = _sum_dtype(self, dtype)
    return ArraySpec(_reduced(self, dim, keepdim), dtype)


def cumsum(self: Shaped, dim: int, *, dtype: Any = None) -> ArraySpec:
    """Rule of cumsum and cumprod."""
    dtype = _sum_dtype(self, dtype)
    # PyTorch takes bools where there is nothing to accumulate.
    if dtype.kind == "b" and self.ndim and not is_empty(self.shape):
        raise DtypeError("what accumulates are numbers, and dtype bool holds none")
    wrap_dim(dim, self.ndim or 1)
    return ArraySpec(self.shape, dtype)


def mean_all(self: Shaped, *, dtype: Any = None) -> ArraySpec:
    """Rule of mean."""
    return ArraySpec((), mean_dtype(self, dtype))


def mean_dim(
    self: Shaped, dim: Dims, keepdim: bool = False, *, dtype: Any = None
) -> ArraySpec:
    """Rule of mean.dim."""
    return ArraySpec(_reduced(self, dim, keepdim), mean_dtype(self, dtype))


def var(
    self: Shaped, dim: Dims = None, *, correction: Any = None, keepdim: bool = False
) -> ArraySpec:
    """Rule of var.correction."""
    return _var_mean("var", self, dim, correction, keepdim)[0]


def var_mean(
    self: Shaped, dim: Dims = None, *, correction: Any = None, keepdim: bool = False
) -> tuple[ArraySpec, ArraySpec]:
    """Rule of var_mean.correction."""
    return _var_mean("var_mean", self, dim, correction, keepdim)


def std(
    self: Shaped, dim: Dims = None, *, correction: Any = None, keepdim: bool = False
) -> ArraySpec:
    """Rule of std.correction."""
    return _var_mean("std", self, dim, correction, keepdim)[0]


def vector_norm(
    self: Shaped,
    ord: Any = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> ArraySpec:
    """Rule of linalg_vector_norm."""
    dtype = real_dtype(dtype_of_norm(self, dtype))
    axes = _axes(self, dim)
    shape = without(self.shape, axes, keepdim)
    if real_order(ord) in (inf, -inf) and not is_empty(shape):
        _check_found("linalg_vector_norm", self.shape, axes)
    return ArraySpec(shape, dtype)


# --- any and all ----------------------------------------------------------------------


def any_all(self: Shaped) -> ArraySpec:
    """Rule of any and all."""
    return ArraySpec((), _flag_dtype(self))


def any_dim(self: Shaped, dim: int, keepdim: bool = False) -> ArraySpec:
    """Rule of any.dim and all.dim."""
    return ArraySpec(_reduced(self, dim, keepdim), _flag_dtype(self))


def any_dims(self: Shaped, dim: Dims = None, keepdim: bool = False) -> ArraySpec:
    """Rule of any.dims and all.dims."""
    # Here, and only here, an empty list means no dimension, as it does in PyTorch.
    shape = self.shape if dim in ([], ()) else _reduced(self, dim, keepdim)
    return ArraySpec(shape, _flag_dtype(self))


# --- largest and smallest elements ----------------------------------------------------


def max_all(self: Shaped) -> ArraySpec:
    """Rule of max and min."""
    check_ordered("max", self)
    _check_found("max", self.shape, None)
    return ArraySpec((), self.dtype)


def max_dim(
    self: Shaped, dim: int, keepdim: bool = False
) -> tuple[ArraySpec, ArraySpec]:
    """Rule of max.dim and min.dim."""
    check_ordered("max", self)
    shape = _found_along("max", self, dim, keepdim)
    return ArraySpec(shape, self.dtype), ArraySpec(shape, INT64)


def amax(self: Shaped, dim: Dims = (), keepdim: bool = False) -> ArraySpec:
    """Rule of amax and amin."""
    check_ordered("amax", self)
    axes = _axes(self, dim)
    shape = without(self.shape, axes, keepdim)
    if not is_empty(shape):
        _check_found("amax", self.shape, axes)
    return ArraySpec(shape, self.dtype)


def argmax(self: Shaped, dim: int | None = None, keepdim: bool = False) -> ArraySpec:
    """Rule of argmax and argmin."""
    searched("argmax", self)
    return ArraySpec(_found_along("argmax", self, dim, keepdim), INT64)


def _reduced(self: Shaped, dim: Dims, keepdim: bool) -> Shape:
    return without(self.shape, _axes(self, dim), keepdim)


def _axes(self: Shaped, dim: Dims) -> Sequence[int] | None:
    axes = as_axes(self, dim)
    return None if axes is None else wrap_dims(axes, self.ndim, "dim")


def _found_along(operator: str, self: Shaped, dim: int | None, keepdim: bool) -> Shape:
    """Return the shape of what is found along one dimension, or in all."""
    axes = None if dim is None else (wrap_dim(dim, self.ndim or 1),)
    _check_found(operator, self.shape, axes if self.shape else None)
    return without(self.shape, axes, keepdim)


def _check_found(operator: str, shape: Shape, axes: Sequence[int] | None) -> None:
    searched_sizes = shape if axes is None else tuple([shape[axis] for axis in axes])
    if is_empty(searched_sizes):
        raise ArgumentValueError(
            f"{operator} finds nothing where there are no elements"
        )


def _sum_dtype(self: Shaped, dtype: Any) -> np.dtype[Any]:
    given = as_dtype(dtype)
    if given is not None:
        return given
    return INT64 if self.dtype.kind in "biu" else self.dtype


def _flag_dtype(self: Shaped) -> np.dtype[Any]:
    # PyTorch once had uint8 for truth values, and still gives it back.
    return self.dtype if self.dtype.char == "B" else _BOOL


def _var_mean(
    operator: str, self: Shaped, dim: Dims, correction: Any, keepdim: bool
) -> tuple[ArraySpec, ArraySpec]:
    check_arguments(operator, self, correction)
    mean = ArraySpec(_reduced(self, dim, keepdim), self.dtype)
    # The variance of complex numbers is real.
    return ArraySpec(mean.shape, real_dtype(self.dtype)), mean
