"""Creation kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError
from .arrays import Array, Scalar
from .dtypes import as_dtype

#: NumPy's word for each memory format: K keeps the order of the dimensions in memory.
_ORDERS: Final = {None: "K", "preserve_format": "K", "contiguous_format": "C"}


def zeros(
    size: Sequence[int],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of zeros."""
    _check_place(layout, device, pin_memory)
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
    _check_place(layout, device, pin_memory)
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
    _check_place(layout, device, pin_memory)
    order = _order(memory_format)
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
    _check_place(layout, device, pin_memory)
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
    _check_place(layout, device, pin_memory)
    return _range(start, end, as_dtype(dtype))


def _range(start: float, end: float, dtype: np.dtype[Any] | None) -> Array:
    if dtype is not None and dtype.kind in "iu":
        # As PyTorch does; NumPy would compute the length from the untruncated ends.
        start, end = int(start), int(end)
    if start > end:
        raise ArgumentValueError(f"start is {start}, which is above end, {end}")
    return np.arange(start, end, dtype=dtype)


def _check_place(layout: Any, device: Any, pin_memory: bool | None) -> None:
    """Refuse what a NumPy array cannot be. Words of PyTorch are read by their text."""
    if layout is not None and _word(layout) != "strided":
        raise ArgumentValueError(f"layout is {layout!r}; a NumPy array is strided")
    if device is not None and str(device).lower() not in ("cpu", "numpy"):
        raise ArgumentValueError(f"device is {device!r}; a NumPy array is on the cpu")
    if pin_memory:
        raise ArgumentValueError("pin_memory is True; NumPy does not pin memory")


def _order(memory_format: Any) -> Any:
    word = None if memory_format is None else _word(memory_format)
    try:
        return _ORDERS[word]
    except KeyError:
        formats = "'preserve_format' or 'contiguous_format'"
        raise ArgumentValueError(
            f"memory_format is {memory_format!r}; for NumPy it can be {formats}"
        ) from None


def _word(argument: object) -> str:
    return str(argument).removeprefix("torch.")
