"""Kernels that make arrays of nothing and of one number, and that fill arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...runtime.errors import ArgumentValueError
from .arrays import Array, Scalar, check_shape
from .dtypes import as_dtype
from .options import as_order, check_contiguous, creates

Size: TypeAlias = Sequence[int]
DType: TypeAlias = np.dtype[Any] | None

# --- without values -------------------------------------------------------------------


@creates
def empty(size: Size, *, dtype: DType, memory_format: Any = None) -> Array:
    """Kernel of empty.memory_format."""
    check_contiguous(memory_format)
    return np.empty(size, dtype)


def empty_out(size: Size, *, memory_format: Any = None, out: Array) -> Array:
    """Kernel of empty.out."""
    if memory_format is not None:
        raise ArgumentValueError("memory_format cannot be given with out")
    check_shape(out, tuple(size))
    return out


@creates
def empty_strided(size: Size, stride: Size, *, dtype: DType) -> Array:
    """Kernel of empty_strided."""
    if len(size) != len(stride):
        raise ArgumentValueError(
            f"size has {len(size)} dimensions, stride has {len(stride)}"
        )
    if min(stride, default=0) < 0:
        raise ArgumentValueError(f"stride is {list(stride)}; no stride can be negative")
    memory = np.empty(_reach(size, stride), dtype)
    strides = [step * memory.itemsize for step in stride]
    return np.ndarray(size, memory.dtype, memory, 0, strides)


def _reach(size: Size, stride: Size) -> int:
    """Return how many elements lie between the first one and the last one."""
    if 0 in size:
        return 0
    return 1 + sum(
        (length - 1) * step for length, step in zip(size, stride, strict=True)
    )


# --- with one value -------------------------------------------------------------------


@creates
def zeros(size: Size, *, dtype: DType) -> Array:
    """Kernel of zeros."""
    return np.zeros(size, dtype)


@creates
def zeros_like(self: Array, *, dtype: DType, memory_format: Any = None) -> Array:
    """Kernel of zeros_like."""
    return np.zeros_like(self, dtype, as_order(memory_format), subok=False)


@creates
def full(size: Size, fill_value: Scalar, *, dtype: DType) -> Array:
    """Kernel of full."""
    if dtype is None:
        dtype = as_dtype(type(fill_value))
    return fill_(np.empty(size, dtype), fill_value)


def full_out(size: Size, fill_value: Scalar, *, out: Array) -> Array:
    """Kernel of full.out."""
    check_shape(out, tuple(size))
    return fill_(out, fill_value)


@creates
def full_like(
    self: Array, fill_value: Scalar, *, dtype: DType, memory_format: Any = None
) -> Array:
    """Kernel of full_like."""
    order = as_order(memory_format)
    return fill_(np.empty_like(self, dtype, order, subok=False), fill_value)


@creates
def scalar_tensor(s: Scalar, *, dtype: DType) -> Array:
    """Kernel of scalar_tensor."""
    return fill_(np.empty((), dtype), s)


def fill(self: Array, value: Scalar) -> Array:
    """Kernel of fill.Scalar."""
    return fill_(np.empty_like(self, subok=False), value)


def fill_(self: Array, value: Scalar) -> Array:
    """Kernel of fill_.Scalar."""
    try:
        self.fill(value)
    except TypeError:
        raise ArgumentValueError(f"{self.dtype} cannot hold {value!r}") from None
    return self
