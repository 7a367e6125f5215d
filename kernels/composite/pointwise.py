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
    return ops.pow_(self, 2) if is_bool(self) else ops.mul_(self, self)


def conj_physical(self: Any) -> Any:
    """Kernel of conj_physical."""
    return ops._conj_physical(self) if kind_of(self) == "c" else self


def max_other(self: Any, other: Any) -> Any:
    """Kernel of max.other."""
    return ops.maximum(self, other)
