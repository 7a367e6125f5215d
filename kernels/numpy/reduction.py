"""Reduction kernels.

They call the ufunc's ``reduce``, which is what ``np.sum`` and ``np.max`` do after two
Python calls.
"""

from __future__ import annotations

from operator import index
from typing import Any, Final

import numpy as np
from numpy.exceptions import AxisError

from ...runtime.errors import DtypeError
from .arrays import Array, Dims, Scalar, check_shape
from .dtypes import as_dtype

_INT64: Final = np.dtype("int64")

# Any, as NumPy's stubs lack the calls by position, which are faster than by name.
_add_reduce: Final[Any] = np.add.reduce
_maximum_reduce: Final[Any] = np.maximum.reduce


def sum_all(self: Array, *, dtype: Any = None) -> Any:
    """Kernel of sum."""
    return _add_reduce(self, None, _sum_dtype(self, dtype))


def sum_dim(self: Array, dim: Dims, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Kernel of sum.dim_IntList."""
    dtype = _sum_dtype(self, dtype)
    return _add_reduce(self, _axes(self, dim), dtype, None, keepdim)


def sum_dim_out(
    self: Array, dim: Dims, keepdim: bool = False, *, dtype: Any = None, out: Array
) -> Any:
    """Kernel of sum.IntList_out."""
    if dtype is not None:
        _check_dtype(out, as_dtype(dtype), "out")
    axes = _axes(self, dim)
    try:
        return _add_reduce(self, axes, out.dtype, out, keepdim)
    except ValueError:
        # NumPy's message about a wrong shape speaks of nothing that the caller knows.
        check_shape(out, _add_reduce(self, axes, None, None, keepdim).shape)
        raise


def max_all(self: Array) -> Any:
    """Kernel of max."""
    return _maximum_reduce(self, None)


def max_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """Kernel of max.dim."""
    indices = self.argmax(dim, keepdims=keepdim)
    return _maximum_reduce(self, dim, None, None, keepdim), indices


def max_dim_out(
    self: Array, dim: int, keepdim: bool = False, *, max: Array, max_values: Array
) -> tuple[Array, Array]:
    """Kernel of max.dim_max."""
    values, indices = max_dim(self, dim, keepdim)
    for argument, out, result in (
        ("max", max, values),
        ("max_values", max_values, indices),
    ):
        check_shape(out, result.shape, argument)
        _check_dtype(out, result.dtype, argument)
    np.copyto(max, values)
    np.copyto(max_values, indices)
    return max, max_values


def var_mean(
    self: Array,
    dim: Dims = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> tuple[Any, Any]:
    """Kernel of var_mean.correction."""
    if self.dtype.kind not in "fc":
        raise DtypeError(f"var_mean takes floating-point arrays, not {self.dtype}")
    axes = _axes(self, dim)
    ddof: Any = 1 if correction is None else correction
    mean = self.mean(axes, keepdims=True)
    var = self.var(axes, ddof=ddof, keepdims=keepdim, mean=mean)
    # Indexing with () makes a scalar of an array without dimensions, as NumPy does.
    return var, mean.reshape(var.shape)[()]


def _axes(self: Array, dim: Dims) -> Any:
    """Return ``dim`` as NumPy's axis; no dimension at all means every dimension."""
    if dim is None:
        return None
    axes = tuple(dim) if isinstance(dim, (list, tuple)) else (index(dim),)
    if self.ndim == 0:
        # PyTorch lets an array without dimensions pass as one with dimension 0.
        for axis in axes:
            if axis not in (0, -1):
                raise AxisError(axis, 0)
        return None
    return axes or None


def _check_dtype(out: Array, expected: Any, argument: str) -> None:
    if out.dtype != expected:
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, the result has dtype {expected}"
        )


def _sum_dtype(self: Array, dtype: Any) -> np.dtype[Any] | None:
    if dtype is not None:
        return as_dtype(dtype)
    # NumPy adds up unsigned integers as uint64, all others as int64.
    return _INT64 if self.dtype.kind == "u" else None
