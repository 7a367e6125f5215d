"""Kernels of arange."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, isfinite
from typing import Any, Final, TypeAlias

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from .arrays import Array, check_shape
from .options import creates

DType: TypeAlias = np.dtype[Any] | None

# With any dtype, where NumPy's stubs want to know which.
_arange: Final[Callable[..., Array]] = np.arange
_INT64: Final = np.dtype("int64")
_FLOAT64: Final = np.dtype("float64")


@creates
def arange(end: float, *, dtype: DType) -> Array:
    """Kernel of arange."""
    return _range(0, end, 1, dtype)


@creates
def arange_start(start: float, end: float, *, dtype: DType) -> Array:
    """Kernel of arange.start."""
    return _range(start, end, 1, dtype)


@creates
def arange_step(start: float, end: float, step: float = 1, *, dtype: DType) -> Array:
    """Kernel of arange.start_step."""
    return _range(start, end, step, dtype)


def arange_step_out(start: float, end: float, step: float = 1, *, out: Array) -> Array:
    """Kernel of arange.start_out."""
    numbers = _range(start, end, step, out.dtype)
    check_shape(out, numbers.shape)
    np.copyto(out, numbers)
    return out


def _range(start: float, end: float, step: float, dtype: DType) -> Array:
    _check_ends(start, end)
    _check_numbers(dtype)
    if dtype is not None and dtype == _INT64:
        # PyTorch truncates the arguments for int64 alone. For smaller integers the
        # length is that of the range of floats, and then the numbers are truncated.
        start, end, step = int(start), int(end), int(step)
    _check_step(start, end, step)
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        return _arange(start, end, step, _INT64 if dtype is None else dtype)
    return _stepped(start, ceil((end - start) / step), step, dtype)


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


def _check_ends(start: float, end: float) -> None:
    try:
        finite = isfinite(start) and isfinite(end)
    except TypeError:
        finite = False
    if not finite:
        raise ArgumentValueError(f"no range goes from {start!r} to {end!r}")


def _check_step(start: float, end: float, step: float) -> None:
    """Refuse what NumPy would make an empty array of, which hides a mistake."""
    if not (step > 0 or step < 0):
        raise ArgumentValueError(f"step is {step}, which leads nowhere")
    if start != end and (start < end) != (step > 0):
        raise ArgumentValueError(f"step is {step}, which leads from {start} off {end}")


def _check_numbers(dtype: DType) -> None:
    if dtype is not None and dtype.kind in "bc":
        raise DtypeError(f"arange makes integers or floats, not {dtype}")
