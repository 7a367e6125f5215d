"""Kernels of NumPy for the operators that tests export to PyTorch."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


def gated(self: Any, gate: Any, *, slope: float) -> Any:
    """Multiply by a sigmoid."""
    return self / (1 + np.exp(-slope * gate))


def scale(self: Any, by: Any) -> Any:
    """Multiply by a number."""
    return self * by


def scale_(self: Any, by: Any) -> Any:
    """Multiply by a number, in place."""
    self *= by
    return self


def scale_out(self: Any, by: Any, *, out: Any) -> Any:
    """Multiply by a number, into an array."""
    return np.multiply(self, by, out=out)


def halve_square(self: Any) -> Any:
    """Compute half of the square."""
    return self * self / 2


def halve_square_(self: Any) -> Any:
    """Compute half of the square, in place."""
    return np.multiply(self, self / 2, out=self)


def clamp_(self: Any, low: Any) -> Any:
    """Raise what is lower than a number."""
    return np.maximum(self, low, out=self)


def extent(self: Any) -> Any:
    """Return two numbers of NumPy, which are no arrays."""
    return self.min(), self.max()


def extent_out(self: Any, *, low: Any, high: Any) -> Any:
    """Write the least and the greatest element."""
    low[...], high[...] = self.min(), self.max()
    return low, high


def join(parts: Any) -> Any:
    """Lay arrays one after the other."""
    return np.concatenate(parts)


def halves(self: Any) -> Any:
    """Return views of both halves."""
    middle = len(self) // 2
    return [self[:middle], self[middle:]]


def affine(self: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """Multiply and add what is there."""
    product = self if weight is None else self * weight
    return product + (eps if bias is None else bias)


def cast(self: Any, *, dtype: Any) -> Any:
    """Convert to a dtype."""
    return self.astype(dtype)


def ramp(size: int, *, dtype: Any) -> Any:
    """Return numbers that go up by one."""
    return np.arange(size, dtype=np.float32 if dtype is None else dtype)


def windows(self: Any, width: int) -> Any:
    """Return the sums over windows of a vector."""
    return np.lib.stride_tricks.sliding_window_view(self, width).sum(1)


def reverse(self: Any) -> Any:
    """Return a view with a negative stride."""
    return self[::-1]


def exchange(self: Any, value: Any) -> Any:
    """Write a value, and return what was there."""
    before = self.copy()
    self[...] = value
    return before


def zero_all(arrays: Any) -> None:
    """Write zeros to all arrays."""
    for array in arrays:
        array[...] = 0


def count(self: Any) -> Any:
    """Return a number of NumPy where a number is declared."""
    return np.int64(self.size)


def thrice(self: Any) -> Any:
    """Compute with operators, as composites do."""
    return import_module("exported_ops").scale(self, 3)


def squared(self: Any) -> Any:
    """Multiply by itself."""
    return self * self


def halved(self: Any) -> Any:
    """Divide by two."""
    return self / 2
