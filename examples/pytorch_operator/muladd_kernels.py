"""What computes `muladd`, and what its results look like; PyTorch is not needed."""

from __future__ import annotations

from typing import Any

from keyslot.kernels.shapes import arithmetic


def muladd(a: Any, b: Any, c: float) -> Any:
    """Multiply two arrays and add a number: any arrays that can do both."""
    return a * b + c


def muladd_shape(a: Any, b: Any, c: float) -> Any:
    """Return shape and dtype of the result, for programs that are traced."""
    return arithmetic.add(arithmetic.mul(a, b), c)
