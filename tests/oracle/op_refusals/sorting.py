"""Calls of the sorting operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    vector, number, imaginary = np.ones(3), np.array(1.0), np.array([1j])
    whole, wide = np.ones(3, "int64"), np.ones(3)
    yield "sort", call(imaginary), TypeError
    yield "sort", call(vector, 1), IndexError
    yield "sort", call(number, 1), IndexError
    yield "sort.values", call(vector, values=wide, indices=np.ones(3)), TypeError
    yield "sort.values", call(vector, values=whole, indices=whole), TypeError
    yield "topk", call(imaginary, 1), TypeError
    yield "topk", call(np.ones(3, bool), 1), TypeError
    yield "topk", call(vector, 1, 1), IndexError
    for k in (-1, 4):
        yield "topk", call(vector, k), ValueError
    yield "topk", call(number, 2), ValueError
    yield "topk.values", call(vector, 3, values=whole, indices=whole), TypeError
