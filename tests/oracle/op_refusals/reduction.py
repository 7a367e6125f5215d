"""Calls of the reductions that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    vector, table = np.ones(3), np.ones((2, 3))
    whole, nothing = np.ones(3, "int64"), np.zeros((0, 3))
    yield "sum.dim_IntList", call(table, [2]), IndexError
    yield "sum.dim_IntList", call(table, [0, -2]), ValueError
    yield "sum.IntList_out", call(table, 0, dtype="float32", out=vector), TypeError
    yield "max", call(nothing), ValueError
    yield "max.dim", call(nothing, 0), ValueError
    yield "max.dim", call(table, 2), IndexError
    yield "var_mean.correction", call(whole), TypeError
