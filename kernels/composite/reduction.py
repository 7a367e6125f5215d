"""Reduction composites."""

from __future__ import annotations

from typing import Any

from ... import generated as ops


def var(self: Any, unbiased: bool = True) -> Any:
    """Kernel of var."""
    return ops.var.correction(self, correction=int(unbiased))


def var_dim(self: Any, dim: Any, unbiased: bool = True, keepdim: bool = False) -> Any:
    """Kernel of var.dim."""
    correction = int(unbiased)
    return ops.var.correction(self, dim, correction=correction, keepdim=keepdim)


def var_dim_out(
    self: Any, dim: Any, unbiased: bool = True, keepdim: bool = False, *, out: Any
) -> Any:
    """Kernel of var.out."""
    correction = int(unbiased)
    return ops.var.correction_out(
        self, dim, correction=correction, keepdim=keepdim, out=out
    )
