"""Kernels that make complex numbers of two arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime.errors import DtypeError
from ..shaped import Shaped
from .arrays import Array, check_dtype, check_shape


def complex(real: Array, imag: Array) -> Array:
    """Kernel of complex."""
    return _joined(real, imag, np.empty(_shape(real, imag), dtype_of_parts(real, imag)))


def complex_out(real: Array, imag: Array, *, out: Array) -> Array:
    """Kernel of complex.out."""
    check_dtype(out, dtype_of_parts(real, imag))
    check_shape(out, _shape(real, imag))
    return _joined(real, imag, out)


def _joined(real: Array, imag: Array, out: Array) -> Array:
    # Written as parts: a sum with 1j would make NaN of infinite ones.
    out.real, out.imag = real, imag
    return out


def _shape(real: Array, imag: Array) -> tuple[int, ...]:
    return np.broadcast_shapes(real.shape, imag.shape)


def dtype_of_parts(real: Shaped, imag: Shaped) -> np.dtype[Any]:
    """Return the dtype of the result; raise DtypeError for what are no parts of it."""
    dtype = real.dtype
    if dtype.name not in ("float32", "float64") or dtype != imag.dtype:
        raise DtypeError(
            f"the parts have dtypes {dtype} and {imag.dtype}; both must be float32 or"
            " both float64"
        )
    return np.result_type(dtype, np.complex64)
