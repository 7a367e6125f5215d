"""Kernels about sizes, strides and offsets, which PyTorch counts in elements.

The storage of an array is all the memory of the array that it is a view of, the last
one along ``base``. Offsets count from the first element of that array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentValueError
from .arrays import Array
from .options import as_order


def sym_size(self: Array, dim: int) -> int:
    """Kernel of sym_size.int."""
    size: int = self.shape[normalize_axis_index(dim, self.ndim)]
    return size


def sym_numel(self: Array) -> int:
    """Kernel of sym_numel."""
    return self.size


def sym_stride(self: Array, dim: int) -> int:
    """Kernel of sym_stride.int."""
    return _in_elements(self, self.strides[normalize_axis_index(dim, self.ndim)])


def sym_storage_offset(self: Array) -> int:
    """Kernel of sym_storage_offset."""
    array = np.asarray(self)
    owner = _owner(array)
    return 0 if owner is array else _in_elements(array, _start(array) - _start(owner))


def sym_is_contiguous(self: Array, memory_format: Any = "contiguous_format") -> bool:
    """Kernel of sym_is_contiguous."""
    as_order(memory_format)
    return self.flags.c_contiguous


def as_strided(
    self: Array,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Array:
    """Kernel of as_strided."""
    array = np.asarray(self)
    offset = sym_storage_offset(array) if storage_offset is None else storage_offset
    storage = _flat(_owner(array))
    check_geometry(size, stride, offset)
    _check_reach(size, stride, offset, storage.nbytes // array.itemsize)
    steps = [step * array.itemsize for step in stride]
    start = offset * array.itemsize if 0 not in size else 0
    strided: Array = np.ndarray(size, array.dtype, storage, start, steps)
    if not array.flags.writeable:
        strided.setflags(write=False)
    return strided


def check_geometry(size: Sequence[int], stride: Sequence[int], offset: int) -> None:
    """Raise ArgumentValueError for sizes and strides that no array has."""
    if len(size) != len(stride):
        raise ArgumentValueError(
            f"size is {size!r} and stride is {stride!r}; they need the same length"
        )
    if any(number < 0 for number in (*size, *stride, offset)):
        raise ArgumentValueError(
            f"size is {size!r}, stride is {stride!r}, storage_offset is {offset};"
            " none may be negative"
        )


def _check_reach(
    size: Sequence[int], stride: Sequence[int], offset: int, available: int
) -> None:
    """Refuse what reaches beyond ``available`` elements."""
    steps = zip(size, stride, strict=True)
    needed = offset + sum((length - 1) * step for length, step in steps) + 1
    if 0 not in size and needed > available:
        raise ArgumentValueError(
            f"size {size!r} with stride {stride!r} from storage_offset {offset} on"
            f" reaches over {needed} elements; the storage has {available}"
        )


def _in_elements(array: Array, distance: int) -> int:
    """Return a distance in bytes as a number of elements."""
    elements, rest = divmod(distance, array.itemsize)
    if rest:
        raise ArgumentValueError(
            f"{distance} bytes are no whole number of elements of {array.dtype}"
        )
    return elements


def _owner(array: Array) -> Array:
    """Return the array whose memory is the storage of ``array``."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _start(array: Array) -> int:
    """Return the address of the first element."""
    address: int = array.__array_interface__["data"][0]
    return address


def _flat(owner: Array) -> Array:
    """Return all of the storage as an array with one dimension."""
    flat = owner.ravel("K")
    if owner.size and not np.may_share_memory(flat, owner):
        raise ArgumentValueError(
            "the memory of the array has gaps, as it comes from another library"
        )
    return flat
