"""Composites that convert arrays from one dtype to another."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ..dtypes import has_dtype


def to(
    self: Any,
    dtype: Any,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Any:
    """Kernel of to.dtype."""
    if not copy and has_dtype(self, dtype):
        return self
    return ops._to_copy(  # pyright: ignore[reportPrivateUsage] # an operator's name
        self, dtype=dtype, non_blocking=non_blocking, memory_format=memory_format
    )


def type_as(self: Any, other: Any) -> Any:
    """Kernel of type_as."""
    return ops.to(self, other.dtype)
