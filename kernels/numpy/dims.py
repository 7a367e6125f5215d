"""The dimensions that a reduction is told to go over, as NumPy's axes."""

from __future__ import annotations

from math import prod
from operator import index
from typing import TypeAlias

from numpy.exceptions import AxisError

from ...runtime.errors import ArgumentValueError
from ..shaped import Shaped
from .arrays import Array, Dims

#: What the ``reduce`` of a ufunc takes; None is every axis.
Axes: TypeAlias = tuple[int, ...] | None


def as_axes(self: Shaped, dim: Dims) -> Axes:
    """Return ``dim`` as NumPy's axes; no dimension at all means every dimension."""
    if dim is None:
        return None
    axes = tuple(dim) if isinstance(dim, (list, tuple)) else (index(dim),)
    if self.ndim == 0:
        _check_dimensionless(axes)
        return None
    return axes or None


def count_elements(self: Array, axes: Axes) -> int:
    """Return how many elements of ``self`` go into one element of the result."""
    return self.size if axes is None else prod([self.shape[axis] for axis in axes])


def _check_dimensionless(axes: tuple[int, ...]) -> None:
    """PyTorch lets an array without dimensions pass as one with dimension 0."""
    for axis in axes:
        if axis not in (0, -1):
            raise AxisError(axis, 0)
    if len(axes) > 1:
        raise ArgumentValueError(f"dim names dimension 0 more than once: {list(axes)}")
