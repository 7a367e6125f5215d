"""Rules of what makes arrays from nothing but sizes and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Final

import numpy as np

from ..numpy.creation import check_strides, format_with_out, unheld
from ..numpy.dtypes import as_dtype
from ..numpy.options import as_order, check_contiguous, check_place
from ..numpy.promotion import number_dtype
from ..numpy.ranges import check_finite, check_range_dtype, check_step
from ..numpy.sampling import check_permutation, not_random
from ..shaped import Shaped
from .sizes import Size, check_sizes
from .spec import ArraySpec, alike

_INT64: Final = np.dtype("int64")
_FLOAT64: Final = np.dtype("float64")

# --- of one number, or none -----------------------------------------------------------


def empty(
    size: Sequence[Size],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> ArraySpec:
    """Rule of empty.memory_format and zeros."""
    check_place(layout, device, pin_memory)
    check_contiguous(memory_format)
    return _sized(size, as_dtype(dtype) or _FLOAT64)


def empty_out(
    size: Sequence[Size], *, memory_format: Any = None, out: Shaped
) -> ArraySpec:
    """Rule of empty.out."""
    if memory_format is not None:
        raise format_with_out()
    return _sized(size, out.dtype)


def empty_strided(
    size: Sequence[Size],
    stride: Sequence[Size],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of empty_strided."""
    check_place(layout, device, pin_memory)
    check_strides(size, stride)
    return _sized(size, as_dtype(dtype) or _FLOAT64)


def full(
    size: Sequence[Size],
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of full."""
    check_place(layout, device, pin_memory)
    made = _sized(size, as_dtype(dtype) or number_dtype(fill_value))
    return fill(made, fill_value)


def full_out(size: Sequence[Size], fill_value: Any, *, out: Shaped) -> ArraySpec:
    """Rule of full.out."""
    return fill(_sized(size, out.dtype), fill_value)


def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of scalar_tensor."""
    check_place(layout, device, pin_memory)
    return fill(ArraySpec((), as_dtype(dtype) or _FLOAT64), s)


def new_zeros(
    self: Shaped,
    size: Sequence[Size],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of new_empty and new_zeros."""
    check_place(layout, device, pin_memory)
    return _sized(size, as_dtype(dtype) or self.dtype)


def new_full(
    self: Shaped,
    size: Sequence[Size],
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of new_full."""
    check_place(layout, device, pin_memory)
    return fill(_sized(size, as_dtype(dtype) or self.dtype), fill_value)


def zeros_like(
    self: Shaped,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> ArraySpec:
    """Rule of empty_like and zeros_like."""
    check_place(layout, device, pin_memory)
    as_order(memory_format)
    return ArraySpec(self.shape, as_dtype(dtype) or self.dtype)


def full_like(
    self: Shaped,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> ArraySpec:
    """Rule of full_like."""
    check_place(layout, device, pin_memory)
    as_order(memory_format)
    return fill(ArraySpec(self.shape, as_dtype(dtype) or self.dtype), fill_value)


def fill(self: Shaped, value: Any) -> ArraySpec:
    """Rule of fill.Scalar."""
    if isinstance(value, complex) and self.dtype.kind in "iuf":
        raise unheld(self.dtype, value)
    return alike(self)


# --- ranges ---------------------------------------------------------------------------


def arange(
    end: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of arange."""
    check_place(layout, device, pin_memory)
    return _range(0, end, 1, as_dtype(dtype))


def arange_start(
    start: Any,
    end: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of arange.start."""
    check_place(layout, device, pin_memory)
    return _range(start, end, 1, as_dtype(dtype))


def arange_step(
    start: Any,
    end: Any,
    step: Any = 1,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of arange.start_step."""
    check_place(layout, device, pin_memory)
    return _range(start, end, step, as_dtype(dtype))


def arange_step_out(start: Any, end: Any, step: Any = 1, *, out: Shaped) -> ArraySpec:
    """Rule of arange.start_out."""
    return _range(start, end, step, out.dtype)


def _range(start: Any, end: Any, step: Any, dtype: Any) -> ArraySpec:
    check_range_dtype(dtype)
    if not all(number_dtype(each).kind in "bi" for each in (start, end, step)):
        check_finite(start, end)
        if dtype is None or dtype != _INT64:
            check_step(start, end, step)
            length = ceil((end - start) / step)
            return ArraySpec((length,), dtype or _FLOAT64)
        # PyTorch truncates the arguments for int64 alone.
        start, end, step = int(start), int(end), int(step)
    check_step(start, end, step)
    distance = end if start == 0 else end - start
    if step != 1:
        # Rounded up.
        distance = (distance + step + (-1 if step > 0 else 1)) // step
    return ArraySpec((distance,), dtype or _INT64)


# --- random numbers -------------------------------------------------------------------


def rand(
    size: Sequence[Size],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of rand and randn."""
    check_place(layout, device, pin_memory)
    return _drawn(size, as_dtype(dtype) or _FLOAT64)


def rand_out(size: Sequence[Size], *, out: Shaped) -> ArraySpec:
    """Rule of rand.out and randn.out."""
    return _drawn(size, out.dtype)


def randperm(
    n: Size,
    *,
    dtype: Any = "long",
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> ArraySpec:
    """Rule of randperm."""
    check_place(layout, device, pin_memory)
    return _permutation(n, as_dtype(dtype) or _INT64)


def randperm_out(n: Size, *, out: Shaped) -> ArraySpec:
    """Rule of randperm.out."""
    return _permutation(n, out.dtype)


def _drawn(size: Sequence[Size], dtype: np.dtype[Any]) -> ArraySpec:
    if dtype.kind not in "fc":
        raise not_random("rand", dtype)
    return _sized(size, dtype)


def _permutation(n: Size, dtype: np.dtype[Any]) -> ArraySpec:
    check_permutation(n, dtype)
    return ArraySpec((n,), dtype)


def _sized(size: Sequence[Size], dtype: np.dtype[Any]) -> ArraySpec:
    check_sizes(size)
    return ArraySpec(tuple(size), dtype)
