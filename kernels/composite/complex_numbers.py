"""Composites that see the parts of complex numbers."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import DtypeError
from ...runtime.writing import kind_of


def real(self: Any) -> Any:
    """Kernel of real."""
    if kind_of(self) != "c":
        return self
    return ops.select(ops.view_as_real(self), -1, 0)


def imag(self: Any) -> Any:
    """Kernel of imag."""
    if kind_of(self) != "c":
        raise DtypeError(f"imag takes complex arrays, not {self.dtype}")
    return ops.select(ops.view_as_real(self), -1, 1)
