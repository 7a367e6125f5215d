"""Pointwise composites.

The generated package loads the module of an operator when it is first asked for, so
operators are reached as its attributes, at the call.
"""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.writing import kind_of
from ..dtypes import is_bool


def square(self: Any) -> Any:
    """Kernel of square."""
    return ops.pow(self, 2) if is_bool(self) else ops.mul(self, self)


def square_(self: Any) -> Any:
    """Kernel of square_."""
    # The gradient needs what was there before, hence not the array itself twice.
    return ops.pow_(self, 2) if is_bool(self) else ops.mul_(self, ops.clone(self))


def conj_physical(self: Any) -> Any:
    """Kernel of conj_physical."""
    if kind_of(self) != "c":
        return self
    conjugate = ops._conj_physical  # pyright: ignore[reportPrivateUsage] # an operator
    return conjugate(self)


def max_other(self: Any, other: Any) -> Any:
    """Kernel of max.other."""
    return ops.maximum(self, other)


def rsub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Kernel of rsub.Tensor."""
    return ops.sub(other, self, alpha=alpha)


def rsub_number(self: Any, other: Any, alpha: Any = 1) -> Any:
    """Kernel of rsub.Scalar."""
    return ops.sub(other, self, alpha=alpha)


def floor_divide(self: Any, other: Any) -> Any:
    """Kernel of floor_divide, with an array or a number."""
    return ops.div(self, other, rounding_mode="floor")


def floor_divide_(self: Any, other: Any) -> Any:
    """Kernel of floor_divide_, with an array or a number."""
    return ops.div_(self, other, rounding_mode="floor")


def floor_divide_out(self: Any, other: Any, *, out: Any) -> Any:
    """Kernel of floor_divide.out."""
    return ops.div(self, other, rounding_mode="floor", out=out)


def true_divide(self: Any, other: Any) -> Any:
    """Kernel of true_divide.Tensor."""
    return ops.div(self, other)


def true_divide_(self: Any, other: Any) -> Any:
    """Kernel of true_divide_.Tensor."""
    return ops.div_(self, other)
