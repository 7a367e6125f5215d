"""Kernels that copy elements, and the one that reads a single element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime.errors import ArgumentValueError
from .arrays import Array, Scalar, broadcast
from .dtypes import as_dtype
from .options import as_order, check_place


def clone(self: Array, *, memory_format: Any = None) -> Array:
    """Kernel of clone."""
    made = self.copy(as_order(memory_format))
    # A copy is to be written to, which scalars are not.
    return made if isinstance(made, np.ndarray) else np.asarray(made)


def to_copy(
    self: Array,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Array:
    """Kernel of _to_copy."""
    check_place(layout, device, pin_memory)
    wanted = as_dtype(dtype) or self.dtype
    return self.astype(wanted, as_order(memory_format))


def copy(self: Array, src: Array, non_blocking: bool = False) -> Array:
    """Kernel of copy."""
    return copy_(np.empty_like(self, subok=False), src)


def copy_(self: Array, src: Array, non_blocking: bool = False) -> Array:
    """Kernel of copy_."""
    # NumPy leaves out first dimensions of size 1, which PyTorch does not.
    if src.ndim > self.ndim:
        broadcast(src, self.shape, "src")
    np.copyto(self, src, "unsafe")
    return self


def resize_(self: Array, size: Sequence[int], *, memory_format: Any = None) -> Array:
    """Kernel of resize_."""
    check_new_order(memory_format)
    if min(size, default=0) < 0 or math.prod(size) != self.size:
        raise unfit_size(size, self.size)
    if self.shape != tuple(size):
        try:
            # Safe without the count of references: the memory is kept as it is.
            self.resize(size, refcheck=False)
        except ValueError:
            raise ArgumentValueError(
                f"self has elements that do not lie together; clone it first to give it"
                f" size {size!r}"
            ) from None
    return self


def check_new_order(memory_format: Any) -> None:
    """Raise ArgumentValueError for a memory format that keeps an order."""
    if memory_format is not None and as_order(memory_format) != "C":
        raise ArgumentValueError(
            f"memory_format is {memory_format!r}; a new size has no order to preserve"
        )


def unfit_size(size: Sequence[int], count: int) -> ArgumentValueError:
    """Return the error of a size of more or fewer elements than there are."""
    return ArgumentValueError(
        f"size is {size!r}; the array has {count} elements, and the memory of a"
        " NumPy array cannot grow or shrink while others may see it"
    )


def local_scalar_dense(self: Array) -> Scalar:
    """Kernel of _local_scalar_dense."""
    if self.size == 0:
        raise ArgumentValueError("an array of no elements has no number to read")
    number: Scalar = self.item(0)
    return number
