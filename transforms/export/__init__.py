"""Operators of a generated package as PyTorch's own: `export_operators`.

Importing this imports torch; `keyslot.torch` has what users need of it.
"""

from __future__ import annotations

from .operators import export_operators

__all__ = ["export_operators"]
