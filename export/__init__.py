"""Operators of a generated package as PyTorch's own: `export_operators`."""

from __future__ import annotations

from .operators import export_operators

__all__ = ["export_operators"]
