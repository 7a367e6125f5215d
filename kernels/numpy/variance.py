"""Kernels of the variance."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ..variants import out
from .arrays import Array, Dims, Scalar
from .dims import as_axes, count_elements

# Any, as NumPy's stubs lack the calls by position, which are faster than by name.
_add_reduce: Final[Any] = np.add.reduce


def var(
    self: Array,
    dim: Dims = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> Any:
    """Kernel of var.correction."""
    return _variance_and_mean("var", self, dim, correction, keepdim)[0]


def var_mean(
    self: Array,
    dim: Dims = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> tuple[Any, Any]:
    """Kernel of var_mean.correction."""
    return _variance_and_mean("var_mean", self, dim, correction, keepdim)


var_out = out(var, casting=True)


def _variance_and_mean(
    operator: str, self: Array, dim: Dims, correction: Scalar | None, keepdim: bool
) -> tuple[Any, Any]:
    _check_arguments(operator, self, correction)
    if self.dtype.char == "e":
        # Squares soon exceed what half precision can hold, though a variance does not.
        wide = self.astype(np.float32)
        pair = _variance_and_mean(operator, wide, dim, correction, keepdim)
        return pair[0].astype(self.dtype), pair[1].astype(self.dtype)
    axes = as_axes(self, dim)
    sums = _add_reduce(self, axes, None, None, True)
    count = count_elements(self, axes)
    mean = sums / count
    total = _add_reduce(_squares(self - mean), axes, None, None, keepdim)
    # Fewer elements than the correction leave nothing to divide by: NaN or infinity.
    freedom: Any = count - (1 if correction is None else correction)
    var = total / max(freedom, 0)
    # Indexing with () makes a scalar of an array without dimensions, as NumPy does.
    return var, mean.reshape(var.shape)[()]


def _squares(deviation: Any) -> Any:
    """Return the squares of distances, in memory that is there where possible."""
    if deviation.dtype.kind == "c":
        return deviation.real**2 + deviation.imag**2
    deviation *= deviation
    return deviation


def _check_arguments(operator: str, self: Array, correction: Scalar | None) -> None:
    if self.dtype.kind not in "fc":
        raise DtypeError(f"{operator} takes floating-point arrays, not {self.dtype}")
    if isinstance(correction, complex):
        raise ArgumentValueError(
            f"correction is {correction!r}, which is no real number"
        )
