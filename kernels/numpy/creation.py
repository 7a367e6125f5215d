"""Creation kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime.errors import ArgumentValueError
from .arrays import Array, Scalar
from .dtypes import as_dtype
from .options import as_order, check_place


def zeros(
    size: Sequence[int],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of zeros."""
    check_place(layout, device, pin_memory)
    return np.zeros(size, as_dtype(dtype))


def full(
    size: Sequence[int],
    fill_value: Scalar,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of full."""
    check_place(layout, device, pin_memory)
    return np.full(size, fill_value, as_dtype(dtype))


def zeros_like(
    self: Array,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Array:
    """Kernel of zeros_like."""
    check_place(layout, device, pin_memory)
    order = as_order(memory_format)
    return np.zeros_like(self, as_dtype(dtype), order, subok=False)


def arange(
    end: float,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of arange."""
    check_place(layout, device, pin_memory)
    return _range(0, end, as_dtype(dtype))


def arange_start(
    start: float,
    end: float,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of arange.start."""
    check_place(layout, device, pin_memory)
    return _range(start, end, as_dtype(dtype))


def _range(start: float, end: float, dtype: np.dtype[Any] | None) -> Array:
    if dtype is not None and dtype.kind in "iu":
        # As PyTorch does; NumPy would compute the length from the untruncated ends.
        start, end = int(start), int(end)
    if start > end:
        raise ArgumentValueError(f"start is {start}, which is above end, {end}")
    return np.arange(start, end, dtype=dtype)
