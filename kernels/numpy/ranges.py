"""Kernels of arange."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, isfinite
from typing import Any, Final, TypeAlias

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from .arrays import Array, check_shape
from .dtypes import as_dtype
from .options import check_place

DType: TypeAlias = np.dtype[Any] | None

# With any dtype, where NumPy's stubs want to know which.
_arange: Final[Callable[..., Array]] = np.arange
_INT64: Final = np.dtype("int64")
_FLOAT64: Final = np.dtype("float64")


def arange(
    end: float,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of arange."""
    if (
        dtype is layout is device is pin_memory is None
        and type(end) is int
        and end >= 0
    ):
        return _arange(end)
    check_place(layout, device, pin_memory)
    return _range(0, end, 1, as_dtype(dtype))


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
    return _range(start, end, 1, as_dtype(dtype))


def arange_step(
    start: float,
    end: float,
    step: float = 1,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of arange.start_step."""
    check_place(layout, device, pin_memory)
    return _range(start, end, step, as_dtype(dtype))


def arange_step_out(start: float, end: float, step: float = 1, *, out: Array) -> Array:
    """Kernel of arange.start_out."""
    numbers = _range(start, end, step, out.dtype)
    check_shape(out, numbers.shape)
    np.copyto(out, numbers)
    return out


def _range(start: float, end: float, step: float, dtype: DType) -> Array:
    check_range_dtype(dtype)
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        return _whole_range(start, end, step, dtype)
    check_finite(start, end)
    if dtype is not None and dtype == _INT64:
        # PyTorch truncates the arguments for int64 alone. For smaller integers the
        # length is that of the range of floats, and then the numbers are truncated.
        return _whole_range(int(start), int(end), int(step), dtype)
    check_step(start, end, step)
    return _stepped(start, ceil((end - start) / step), step, dtype)


def _whole_range(start: int, end: int, step: int, dtype: DType) -> Array:
    check_step(start, end, step)
    return _arange(start, end, step, _INT64 if dtype is None else dtype)


def _stepped(start: float, length: int, step: float, dtype: DType) -> Array:
    """Return ``length`` numbers, none of which adds up the errors of those before."""
    if dtype is not None and dtype.kind in "iu":
        numbers: Array = np.arange(length, dtype=_INT64)
        start, step = int(start), int(step)
    else:
        numbers = np.arange(length, dtype=_FLOAT64)
    numbers *= step
    numbers += start
    return numbers if dtype is None else numbers.astype(dtype, copy=False)


def check_range_dtype(dtype: DType) -> None:
    """Raise DtypeError for a dtype of no ranges."""
    if dtype is not None and dtype.kind in "bc":
        raise DtypeError(f"arange makes integers or floats, not {dtype}")


def check_finite(start: float, end: float) -> None:
    """Raise ArgumentValueError for a range without end, and for complex numbers."""
    try:
        finite = isfinite(start) and isfinite(end)
    except TypeError:  # complex numbers
        finite = False
    if not finite:
        raise ArgumentValueError(f"no range goes from {start!r} to {end!r}")


def check_step(start: float, end: float, step: float) -> None:
    """Refuse what NumPy would make an empty array of, which hides a mistake."""
    if not (step > 0 or step < 0):
        raise ArgumentValueError(f"step is {step}, which leads nowhere")
    if start != end and (start < end) != (step > 0):
        raise ArgumentValueError(f"step is {step}, which leads from {start} off {end}")
