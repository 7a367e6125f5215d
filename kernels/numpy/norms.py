"""The kernel of norms of vectors: the sizes of arrays, in several senses."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ..shaped import Shaped
from ..variants import out
from .arrays import Array, Dims, Scalar
from .dims import Axes, as_axes
from .dtypes import as_dtype


def vector_norm(
    self: Array,
    ord: Scalar = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """Kernel of linalg_vector_norm."""
    sizes = np.abs(self.astype(dtype_of_norm(self, dtype), copy=False))
    norm = _norm(sizes, real_order(ord), as_axes(self, dim), keepdim)
    return norm.astype(sizes.dtype, copy=False)


vector_norm_out = out(vector_norm)


def _norm(sizes: Array, ord: float, axes: Axes, keepdim: bool) -> Any:
    """Return the norm of numbers that are not negative."""
    kept: Any = {"axis": axes, "keepdims": keepdim}
    if ord == inf:
        return np.max(sizes, **kept)
    if ord == -inf:
        return np.min(sizes, **kept)
    if ord == 0:
        return np.sum(sizes != 0, **kept)
    if ord == 1:
        return np.sum(sizes, **kept)
    if ord == 2:
        return np.sqrt(np.sum(np.square(sizes), **kept))
    return np.power(np.sum(np.power(sizes, ord), **kept), 1 / ord)


def real_order(ord: Scalar) -> float:
    """Return the order of a norm; raise ArgumentValueError for one that is complex."""
    if isinstance(ord, complex):
        raise ArgumentValueError(f"ord is {ord!r}, which is no real number")
    return float(ord)


def dtype_of_norm(self: Shaped, dtype: Any) -> np.dtype[Any]:
    """Return the dtype to compute in, which is of the array's kind and as precise.

    Raises DtypeError for others.
    """
    if self.dtype.kind not in "fc":
        raise DtypeError(
            f"linalg_vector_norm takes floating-point and complex arrays, not"
            f" {self.dtype}"
        )
    wanted = as_dtype(dtype) or self.dtype
    if wanted.kind != self.dtype.kind or not np.can_cast(self.dtype, wanted):
        raise DtypeError(f"dtype is {wanted}, to which {self.dtype} is not converted")
    return wanted
