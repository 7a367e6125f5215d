"""Pointwise kernels that are more than one NumPy function."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError
from .arrays import Array, Scalar, check_broadcast

#: The default of `alpha`. CPython has one object 1, so a test of identity finds it,
#: and what only equals it, such as 1.0, still goes through the checks.
_ONE: Final = 1

#: Kinds of result dtypes that take an alpha of each kind.
_RESULTS_OF_ALPHA: Final = {"b": "b", "i": "biufc", "u": "biufc", "f": "fc", "c": "c"}


def add(self: Array, other: Array | Scalar, alpha: Scalar = 1) -> Any:
    """Kernel of add.Tensor and add.Scalar."""
    return np.add(self, other if alpha is _ONE else _scaled(self, other, alpha))


def add_(self: Array, other: Array | Scalar, alpha: Scalar = 1) -> Any:
    """Kernel of add_.Tensor and add_.Scalar."""
    return np.add(self, other if alpha is _ONE else _scaled(self, other, alpha), self)


def add_out(self: Array, other: Array, *, alpha: Scalar = 1, out: Array) -> Any:
    """Kernel of add.out."""
    check_broadcast(out, self, other)
    return np.add(self, other if alpha is _ONE else _scaled(self, other, alpha), out)


def sub(self: Array, other: Array | Scalar, alpha: Scalar = 1) -> Any:
    """Kernel of sub.Tensor and sub.Scalar."""
    return np.subtract(self, other if alpha is _ONE else _scaled(self, other, alpha))


def mul_(self: Array, other: Array | Scalar) -> Any:
    """Kernel of mul_.Tensor and mul_.Scalar."""
    return np.multiply(self, other, self)


def mul_out(self: Array, other: Array, *, out: Array) -> Any:
    """Kernel of mul.out."""
    check_broadcast(out, self, other)
    return np.multiply(self, other, out)


def div_rounded(self: Array, other: Array, *, rounding_mode: str | None) -> Any:
    """Kernel of div.Tensor_mode."""
    if rounding_mode is None:
        return np.divide(self, other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if rounding_mode == "trunc":
        return _truncated(self, other)
    modes = "None, 'trunc' or 'floor'"
    raise ArgumentValueError(f"rounding_mode is {rounding_mode!r}; it can be {modes}")


def clamp(self: Array, min: Any = None, max: Any = None) -> Any:
    """Kernel of clamp and clamp.Tensor."""
    if min is None and max is None:
        raise ArgumentValueError("clamp needs a min, a max, or both")
    return self.clip(min, max)


def _scaled(self: Array, other: Array | Scalar, alpha: Scalar) -> Any:
    """Return ``alpha * other`` in the dtype of the sum with ``self``."""
    dtype = np.result_type(self, other)
    kind = np.dtype(type(alpha)).kind
    if dtype.kind not in _RESULTS_OF_ALPHA[kind]:
        raise ArgumentValueError(f"alpha is {alpha!r}; a result of {dtype} takes none")
    return np.multiply(other, dtype.type(alpha), dtype=dtype)


def _truncated(self: Array, other: Array) -> Any:
    if np.result_type(self, other).kind in "fc":
        return np.trunc(np.divide(self, other))
    quotient, remainder = np.divmod(self, other)
    # Rounded down already: one too low where it is negative and not exact.
    return np.add(quotient, (quotient < 0) & (remainder != 0))
