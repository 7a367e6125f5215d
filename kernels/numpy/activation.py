"""Kernels of activation functions and of what bounds and chooses elements."""

from __future__ import annotations

from typing import Any

from ...runtime.errors import ArgumentValueError
from .arrays import Array


def clamp(self: Array, min: Any = None, max: Any = None) -> Any:
    """Kernel of clamp and clamp.Tensor."""
    if min is None and max is None:
        raise ArgumentValueError("clamp needs a min, a max, or both")
    return self.clip(min, max)
