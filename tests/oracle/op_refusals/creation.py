"""Calls of the creation operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    yield "zeros", call([-1]), ValueError
    yield "full", call([1], 300, dtype="uint8"), OverflowError
    yield "arange", call(-1), ValueError
    yield "arange.start", call(3, 1), ValueError
