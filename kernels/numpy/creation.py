"""Kernels that make arrays of nothing and of one number, and that fill arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...runtime.errors import ArgumentValueError
from .arrays import Array, Scalar, check_shape
from .dtypes import as_dtype
from .options import as_order, check_contiguous, check_place

Size: TypeAlias = Sequence[int]

# --- without values -------------------------------------------------------------------


def empty(
    size: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Array:
    """Kernel of empty.memory_format."""
    check_place(layout, device, pin_memory)
    check_contiguous(memory_format)
    return np.empty(size, as_dtype(dtype))


def empty_out(size: Size, *, memory_format: Any = None, out: Array) -> Array:
    """Kernel of empty.out."""
    if memory_format is not None:
        raise format_with_out()
    check_shape(out, tuple(size))
    return out


def empty_like(
    self: Array,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Array:
    """Kernel of empty_like."""
    check_place(layout, device, pin_memory)
    return np.empty_like(self, as_dtype(dtype), as_order(memory_format), subok=False)


def new_empty(
    self: Array,
    size: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of new_empty."""
    check_place(layout, device, pin_memory)
    return np.empty(size, self.dtype if dtype is None else as_dtype(dtype))


def empty_strided(
    size: Size,
    stride: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of empty_strided."""
    check_place(layout, device, pin_memory)
    check_strides(size, stride)
    memory = np.empty(_reach(size, stride), as_dtype(dtype))
    strides = [step * memory.itemsize for step in stride]
    return np.ndarray(size, memory.dtype, memory, 0, strides)


def format_with_out() -> ArgumentValueError:
    """Return the error of a memory format for an array that is there already."""
    return ArgumentValueError("memory_format cannot be given with out")


def check_strides(size: Size, stride: Size) -> None:
    """Raise ArgumentValueError unless there are strides for sizes, none negative."""
    if len(size) != len(stride):
        raise ArgumentValueError(
            f"size has {len(size)} dimensions, stride has {len(stride)}"
        )
    if any(step < 0 for step in stride):
        raise ArgumentValueError(f"stride is {list(stride)}; no stride can be negative")


def _reach(size: Size, stride: Size) -> int:
    """Return how many elements lie between the first one and the last one."""
    if 0 in size:
        return 0
    return 1 + sum(
        (length - 1) * step for length, step in zip(size, stride, strict=True)
    )


# --- with one value -------------------------------------------------------------------


def zeros(
    size: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of zeros."""
    check_place(layout, device, pin_memory)
    return np.zeros(size, as_dtype(dtype))


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
    if memory_format is None and self.flags.c_contiguous:
        # In this order np.zeros makes the same, in a third of the time.
        return np.zeros(self.shape, self.dtype if dtype is None else as_dtype(dtype))
    order = as_order(memory_format)
    return np.zeros_like(self, as_dtype(dtype), order, subok=False)


def new_zeros(
    self: Array,
    size: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of new_zeros."""
    check_place(layout, device, pin_memory)
    return np.zeros(size, self.dtype if dtype is None else as_dtype(dtype))


def new_full(
    self: Array,
    size: Size,
    fill_value: Scalar,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of new_full."""
    check_place(layout, device, pin_memory)
    wanted = self.dtype if dtype is None else as_dtype(dtype)
    return fill_(np.empty(size, wanted), fill_value)


def full(
    size: Size,
    fill_value: Scalar,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of full."""
    check_place(layout, device, pin_memory)
    wanted = type(fill_value) if dtype is None else dtype
    return fill_(np.empty(size, as_dtype(wanted)), fill_value)


def full_out(size: Size, fill_value: Scalar, *, out: Array) -> Array:
    """Kernel of full.out."""
    check_shape(out, tuple(size))
    return fill_(out, fill_value)


def full_like(
    self: Array,
    fill_value: Scalar,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Array:
    """Kernel of full_like."""
    check_place(layout, device, pin_memory)
    order = as_order(memory_format)
    return fill_(np.empty_like(self, as_dtype(dtype), order, subok=False), fill_value)


def scalar_tensor(
    s: Scalar,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of scalar_tensor."""
    check_place(layout, device, pin_memory)
    return fill_(np.empty((), as_dtype(dtype)), s)


def fill(self: Array, value: Scalar) -> Array:
    """Kernel of fill.Scalar."""
    return fill_(np.empty_like(self, subok=False), value)


def fill_(self: Array, value: Scalar) -> Array:
    """Kernel of fill_.Scalar."""
    try:
        self.fill(value)
    except TypeError:
        raise unheld(self.dtype, value) from None
    return self


def unheld(dtype: np.dtype[Any], value: Scalar) -> ArgumentValueError:
    """Return the error of a number that is not one of a dtype."""
    return ArgumentValueError(f"{dtype} cannot hold {value!r}")
