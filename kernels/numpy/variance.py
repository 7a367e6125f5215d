"""Kernels of the variance."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ..shaped import Shaped
from ..variants import out
from .arrays import FEW, Array, Dims, Scalar
from .dims import as_axes, count_elements

# Any, as NumPy's stubs lack the calls by position, which are faster than by name.
_add_reduce: Final[Any] = np.add.reduce
_vdot: Final[Any] = np.vdot
#: What means every element of an array of one dimension.
_WHOLE_VECTOR: Final = (None, (0,), (-1,))


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


def std(
    self: Array,
    dim: Dims = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> Any:
    """Kernel of std.correction."""
    return np.sqrt(_variance_and_mean("std", self, dim, correction, keepdim)[0])


var_out = out(var, casting=True)
std_out = out(std, casting=True)


def _variance_and_mean(
    operator: str, self: Array, dim: Dims, correction: Scalar | None, keepdim: bool
) -> tuple[Any, Any]:
    check_arguments(operator, self, correction)
    if self.dtype.char == "e":
        # Squares soon exceed what half precision can hold, though a variance does not.
        wide = self.astype(np.float32)
        pair = _variance_and_mean(operator, wide, dim, correction, keepdim)
        return pair[0].astype(self.dtype), pair[1].astype(self.dtype)
    axes = as_axes(self, dim)
    is_whole = self.ndim == 1 and axes in _WHOLE_VECTOR and not keepdim
    if is_whole and 0 < self.size <= FEW:
        return _of_few(self, correction)
    sums = _add_reduce(self, axes, None, None, True)
    count = count_elements(self, axes)
    mean = sums / count
    total = _add_reduce(_squares(self - mean), axes, None, None, keepdim)
    var = total / _freedom(count, correction)
    # Indexing with () makes a scalar of an array without dimensions, as NumPy does.
    return var, mean.reshape(var.shape)[()]


def _of_few(self: Array, correction: Scalar | None) -> tuple[Any, Any]:
    """Return variance and mean of all elements of a vector.

    A product with itself adds up the squares in a fraction of the time.
    """
    count = self.size
    mean = _add_reduce(self) / count
    deviation = self - mean
    total = _vdot(deviation, deviation).real
    return total / _freedom(count, correction), mean


def _freedom(count: int, correction: Scalar | None) -> Any:
    """Return what sums of squares are divided by.

    Fewer elements than the correction leave nothing: NaN or infinity.
    """
    freedom: Any = count - (1 if correction is None else correction)
    return max(freedom, 0)


def _squares(deviation: Any) -> Any:
    """Return the squares of distances, in memory that is there where possible."""
    if deviation.dtype.kind == "c":
        return deviation.real**2 + deviation.imag**2
    deviation *= deviation
    return deviation


def check_arguments(operator: str, self: Shaped, correction: Scalar | None) -> None:
    """Raise DtypeError for integers, ArgumentValueError for a complex correction."""
    if self.dtype.kind not in "fc":
        raise DtypeError(f"{operator} takes floating-point arrays, not {self.dtype}")
    if isinstance(correction, complex):
        raise ArgumentValueError(
            f"correction is {correction!r}, which is no real number"
        )
