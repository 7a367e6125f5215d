"""Kernels that only these operators have."""

from __future__ import annotations

from typing import Any

import numpy as np

from keyslot import ops


def total(self: Any, dim: int, *, keepdim: bool) -> Any:
    """Add up along a dimension."""
    return self.sum(dim, keepdims=keepdim)


def floored(self: Any) -> Any:
    """Return the whole numbers below, and what is above them."""
    whole = np.floor(self)
    return whole, self - whole


def hidden_product(self: Any, other: Any) -> Any:
    """Multiply with an operator, as composites do."""
    return ops.mul(self, other)
