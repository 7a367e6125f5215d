"""Rules of copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..numpy.copying import check_new_order, unfit_size
from ..numpy.dtypes import as_dtype
from ..numpy.options import as_order, check_place
from ..shaped import Shaped
from .sizes import Size, are_equal, broadcast_to, product
from .spec import ArraySpec, alike


def clone(self: Shaped, *, memory_format: Any = None) -> ArraySpec:
    """Rule of clone."""
    as_order(memory_format)
    return alike(self)


def to_copy(
    self: Shaped,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> ArraySpec:
    """Rule of _to_copy."""
    check_place(layout, device, pin_memory)
    as_order(memory_format)
    return ArraySpec(self.shape, as_dtype(dtype) or self.dtype)


def copy(self: Shaped, src: Shaped, non_blocking: bool = False) -> ArraySpec:
    """Rule of copy."""
    broadcast_to(src.shape, self.shape, "src")
    return alike(self)


def resize(
    self: Shaped, size: Sequence[Size], *, memory_format: Any = None
) -> ArraySpec:
    """Rule of resize_: to a shape of as many elements."""
    check_new_order(memory_format)
    shape = tuple(size)
    if are_equal(self.shape, shape):
        return alike(self)
    count = product(self.shape)
    if any(each < 0 for each in shape) or product(shape) != count:
        raise unfit_size(size, count)
    return ArraySpec(shape, self.dtype)
