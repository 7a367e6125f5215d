"""Composites that make arrays of ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import generated as ops


def ones(
    size: Sequence[Any],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Any:
    """Kernel of ones."""
    # Of a floating-point number, for that is the dtype where none is given.
    return ops.full(
        size, 1.0, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )


def ones_out(size: Sequence[Any], *, out: Any) -> Any:
    """Kernel of ones.out."""
    return ops.full(size, 1, out=out)


def ones_like(
    self: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    memory_format: Any = None,
) -> Any:
    """Kernel of ones_like."""
    return ops.full_like(
        self,
        1,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )


def new_ones(
    self: Any,
    size: Sequence[Any],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Any:
    """Kernel of new_ones."""
    return ops.new_full(
        self,
        size,
        1,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
    )
