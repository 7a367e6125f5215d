"""Kernels of what bounds elements and chooses among them."""

from __future__ import annotations

from types import NoneType
from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ...runtime.writing import write_result
from ..dtypes import unordered
from ..shaped import Shaped
from ..variants import in_place, out
from .arrays import Array, Scalar, check_shape
from .promotion import BOOL, Dtype, as_array, result_dtype

#: Types of bounds that leave arrays of floating-point numbers as they are.
_REAL: Final = frozenset({int, float, NoneType})


def relu(self: Array) -> Any:
    """Kernel of relu."""
    kind = self.dtype.kind
    if kind not in "fiu":
        raise unordered("relu", self)
    return np.maximum(self, 0)


def clamp(self: Array, min: Scalar | None = None, max: Scalar | None = None) -> Any:
    """Kernel of clamp."""
    if self.dtype.kind == "f" and type(min) in _REAL and type(max) in _REAL:
        return _bounded(self, min, max)
    return clamp_tensor(self, min, max)


def clamp_(self: Array, min: Scalar | None = None, max: Scalar | None = None) -> Any:
    """Kernel of clamp_."""
    if self.dtype.kind == "f" and type(min) in _REAL and type(max) in _REAL:
        return _bounded(self, min, max, self)
    return clamp_tensor_(self, min, max)


def clamp_out(
    self: Array, min: Scalar | None = None, max: Scalar | None = None, *, out: Array
) -> Any:
    """Kernel of clamp.out."""
    self = as_array(self)
    same = self.dtype is out.dtype and self.dtype.kind == "f"
    if same and type(min) in _REAL and type(max) in _REAL:
        check_shape(out, self.shape)
        return _bounded(self, min, max, out)
    return _clamp_out(self, min, max, out=out)


def clamp_tensor(self: Array, min: Any = None, max: Any = None) -> Any:
    """Kernel of clamp.Tensor."""
    dtype = clamp_dtype(self, min, max)
    lower, upper = (
        None if each is None else np.asarray(each, dtype) for each in (min, max)
    )
    return _bounded(np.asarray(self, dtype), lower, upper)


def clamp_dtype(self: Shaped, min: Any, max: Any) -> Dtype:
    """Return the dtype of what lies between bounds.

    Raises DtypeError for one that is not clamped.
    """
    bounds = [each for each in (min, max) if each is not None]
    dtype = result_dtype(self, *bounds)
    # With one array as a bound it is maximum or minimum, which take bools.
    is_single = len(bounds) == 1 and hasattr(bounds[0], "dtype")
    if dtype.kind in ("c" if is_single else "bc"):
        raise DtypeError(f"clamp takes no arrays of dtype {dtype}")
    return dtype


def clamp_tensor_(self: Array, min: Any = None, max: Any = None) -> Any:
    """Kernel of clamp_.Tensor."""
    write_result("self", self, clamp_tensor(self, min, max))
    return self


def where(condition: Array, self: Array, other: Array) -> Array:
    """Kernel of where.self."""
    condition = as_array(condition)
    if condition.dtype is not BOOL:
        check_condition(condition)
    try:
        if self.dtype is other.dtype:
            return np.where(condition, self, other)
    except AttributeError:
        pass  # One is a Python number, given where an array is expected.
    dtype = result_dtype(self, other)
    return np.where(condition, np.asarray(self, dtype), np.asarray(other, dtype))


clamp_tensor_out = out(clamp_tensor, casting=True)
_clamp_out = out(clamp_tensor)
where_out = out(where)


def _bounded(self: Array, min: Any, max: Any, out: Array | None = None) -> Any:
    if max is not None:
        if min is not None:
            return self.clip(min, max, out)
        return np.minimum(self, max, out=out)
    if min is not None:
        return np.maximum(self, min, out=out)
    raise unbounded()


def unbounded() -> ArgumentValueError:
    """Return the error of a clamp without bounds."""
    return ArgumentValueError("clamp needs a min, a max, or both")


def check_condition(condition: Shaped) -> None:
    """Raise DtypeError unless an array tells where something holds."""
    if condition.dtype.kind not in "bu":
        raise DtypeError(f"condition has dtype {condition.dtype}, it must be bool")


def nan_to_num(
    self: Array,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Any:
    """Kernel of nan_to_num."""
    return np.nan_to_num(self, True, nan or 0.0, posinf, neginf)


nan_to_num_, nan_to_num_out = in_place(nan_to_num), out(nan_to_num)
