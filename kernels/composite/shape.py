"""Composites that join arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import generated as ops


def stack(tensors: Sequence[Any], dim: int = 0) -> Any:
    """Kernel of stack."""
    return ops.cat([ops.unsqueeze(tensor, dim) for tensor in tensors], dim)


def stack_out(tensors: Sequence[Any], dim: int = 0, *, out: Any) -> Any:
    """Kernel of stack.out."""
    return ops.cat([ops.unsqueeze(tensor, dim) for tensor in tensors], dim, out=out)
