"""What computes `muladd`, and what its results look like; PyTorch is not needed."""

from __future__ import annotations

from typing import Any


def muladd(a: Any, b: Any, c: float) -> Any:
    """Multiply two arrays and add a number: any arrays that can do both."""
    return a * b + c


def muladd_shape(a: Any, b: Any, c: float) -> Any:
    """Return the sizes of the result, for programs that are traced without values."""
    del c
    if a.shape != b.shape:
        raise ValueError(f"muladd takes arrays of one shape, not {a.shape}, {b.shape}")
    return a.shape
