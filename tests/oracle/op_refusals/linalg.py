"""Calls of the products of matrices that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    table, whole = np.ones((2, 3)), np.ones((3, 2), "int64")
    square, batch, flags = np.ones((2, 2)), np.ones((2, 2, 2)), np.ones((2, 2), bool)
    yield "mm", call(table, table), ValueError
    yield "mm", call(table, np.ones(3)), ValueError
    yield "mm", call(batch, square), ValueError
    yield "mm", call(table, whole), TypeError
    yield "mm", call(table, np.ones((3, 2), "float32")), TypeError
    yield "mm", call(flags, flags), TypeError
    yield "mm.out", call(square, square, out=np.ones((2, 2), "int64")), TypeError
    yield "bmm", call(batch, batch[:1]), ValueError
    yield "bmm", call(batch, np.ones((2, 3, 2))), ValueError
    yield "bmm", call(batch, square), ValueError
    yield "bmm", call(batch, np.ones((2, 2, 2), "int64")), TypeError
    yield "bmm", call(flags[None], flags[None]), TypeError
    yield "addmm", call(np.ones(3), square, square), ValueError
    yield "addmm", call(np.ones(3), square, square, beta=0), ValueError
    yield "addmm", call(batch, square, square), ValueError
    yield "addmm", call(square, table, table), ValueError
    yield "addmm", call(np.ones((2, 2), "float32"), square, square), TypeError
    yield "addmm", call(flags, flags, flags), TypeError
    yield "addmm", call(square, square, square, alpha=1j), ValueError
    yield "addmm", call(square, square, square, beta=1j), ValueError
    yield "addmm_", call(np.ones(2), square, square), ValueError


@refuses
def _products() -> Refusals:
    table, vector, whole = np.ones((2, 3)), np.ones(3), np.ones(3, "int64")
    batch, flags = np.ones((4, 2, 3)), np.ones(3, bool)
    yield "mv", call(table, np.ones(2)), ValueError
    yield "mv", call(table, table), ValueError
    yield "mv", call(vector, vector), ValueError
    yield "mv", call(table, whole), TypeError
    yield "mv.out", call(table, vector, out=np.ones(2, "float32")), TypeError
    yield "dot", call(vector, np.ones(2)), ValueError
    yield "dot", call(table, vector), ValueError
    yield "dot", call(vector, whole), TypeError
    yield "dot", call(flags, flags), TypeError
    yield "outer", call(table, vector), ValueError
    yield "outer", call(vector, np.array(1.0)), ValueError
    yield "matmul", call(vector, np.array(1.0)), ValueError
    yield "matmul", call(vector, np.ones(2)), ValueError
    yield "matmul", call(table, table), ValueError
    yield "matmul", call(batch, table), ValueError
    yield "matmul", call(batch, np.ones((5, 3, 2))), ValueError
    yield "matmul", call(batch, np.ones((4, 2, 2))), ValueError
    yield "matmul", call(vector, whole), TypeError
