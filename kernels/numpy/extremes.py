"""Kernels that find the largest and the smallest elements, and where they are.

NaN counts as the largest and as the smallest, for NumPy as for PyTorch.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import DtypeError
from ..shaped import Shaped
from ..variants import out
from .arrays import FEW, Array, Dims
from .dims import as_axes

# Any, as NumPy's stubs lack the calls by position, which are faster than by name.
_maximum_reduce: Final[Any] = np.maximum.reduce
_minimum_reduce: Final[Any] = np.minimum.reduce


def max_all(self: Array) -> Any:
    """Kernel of max."""
    check_ordered("max", self)
    if 0 < self.size <= FEW:
        return self.flat[self.argmax()]
    return _maximum_reduce(self, None)


def min_all(self: Array) -> Any:
    """Kernel of min."""
    check_ordered("min", self)
    if 0 < self.size <= FEW:
        return self.flat[self.argmin()]
    return _minimum_reduce(self, None)


def max_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """Kernel of max.dim."""
    check_ordered("max", self)
    indices = self.argmax(dim, keepdims=keepdim)
    return _maximum_reduce(self, dim, None, None, keepdim), indices


def min_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """Kernel of min.dim."""
    check_ordered("min", self)
    indices = self.argmin(dim, keepdims=keepdim)
    return _minimum_reduce(self, dim, None, None, keepdim), indices


def amax(self: Array, dim: Dims = (), keepdim: bool = False) -> Any:
    """Kernel of amax."""
    check_ordered("amax", self)
    return _maximum_reduce(self, as_axes(self, dim), None, None, keepdim)


def amin(self: Array, dim: Dims = (), keepdim: bool = False) -> Any:
    """Kernel of amin."""
    check_ordered("amin", self)
    return _minimum_reduce(self, as_axes(self, dim), None, None, keepdim)


def argmax(self: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    """Kernel of argmax."""
    return searched("argmax", self).argmax(dim, keepdims=keepdim)


def argmin(self: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    """Kernel of argmin."""
    return searched("argmin", self).argmin(dim, keepdims=keepdim)


max_dim_out = out(max_dim, "max", "max_values")
min_dim_out = out(min_dim, "min", "min_indices")
amax_out = out(amax)
amin_out = out(amin)
argmax_out = out(argmax)
argmin_out = out(argmin)


def check_ordered(operator: str, self: Shaped) -> None:
    """Raise DtypeError for complex numbers."""
    if self.dtype.kind == "c":
        raise DtypeError(f"{operator} takes no complex numbers: they have no order")


def searched(operator: str, self: Shaped) -> Any:
    """Return an array that can be searched; DtypeError for bools and complex numbers.

    It is of any type, as for NumPy's stubs a dim cannot be None.
    """
    check_ordered(operator, self)
    if self.dtype.kind == "b":
        raise DtypeError(f"{operator} takes no bool array; convert it to integers")
    return self
