"""Calls of composites that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _views() -> Refusals:
    number, vector, table = np.array(1.0), np.ones(3), np.ones((2, 3))
    yield "unbind.int", call(number), IndexError
    yield "unbind.int", call(table, 2), IndexError
    yield "chunk", call(vector, 0), ValueError
    yield "chunk", call(vector, 2, 1), IndexError
    yield "narrow", call(vector, 0, 2, 2), ValueError
    yield "narrow", call(vector, 0, 0, -1), ValueError
    yield "narrow", call(vector, 0, -4, 1), ValueError
    yield "narrow", call(number, 0, 0, 1), IndexError
    yield "expand_as", call(table, vector), ValueError
    yield "view_as", call(table, vector), ValueError


@refuses
def _products() -> Refusals:
    vector, table, whole = np.ones(3), np.ones((2, 3)), np.ones(3, "int64")
    yield "linear", call(table, table.T), ValueError
    yield "linear", call(table, table, np.ones(3)), ValueError
    yield "linear", call(vector, table, np.ones((2, 2))), ValueError
    yield "linear", call(table, table, np.ones(2, "int64")), TypeError
    yield "tensordot", call(table, table, [0], [0, 1]), ValueError
    yield "tensordot", call(table, table, [0], [1]), ValueError
    yield "tensordot", call(table, table, [0, 0], [0, 1]), ValueError
    yield "tensordot", call(table, table, [2], [0]), IndexError
    yield "trace", call(vector), ValueError
    yield "einsum", call("ij", [vector]), ValueError
    yield "einsum", call("i", [table]), ValueError
    yield "einsum", call("i,i", [vector]), ValueError
    yield "einsum", call("i->j", [vector]), ValueError
    yield "einsum", call("i->ii", [vector]), ValueError
    yield "einsum", call("i.->i", [vector]), ValueError
    yield "einsum", call("i......", [vector]), ValueError
    yield "einsum", call("1", [vector]), ValueError
    yield "einsum", call("ii", [table]), ValueError
    yield "einsum", call("ij,j", [table, np.ones(2)]), ValueError
    yield "einsum", call("i,i", [vector, whole]), TypeError


@refuses
def _pointwise() -> Refusals:
    vector, flags = np.ones(3), np.ones(3, bool)
    yield "masked_fill.Scalar", call(vector, vector, 1), TypeError
    yield "masked_fill.Scalar", call(vector, np.ones(2, bool), 1), ValueError
    yield "masked_fill.Scalar", call(vector, flags, 1j), ValueError
    yield "masked_fill_.Scalar", call(vector, np.ones((2, 3), bool), 1), ValueError
    yield "masked_fill.Tensor", call(vector, flags, vector), ValueError
    yield "lerp.Scalar", call(vector, np.ones(3, "float32"), 0.5), TypeError
    yield "lerp.Scalar", call(vector, vector, 1j), ValueError
    yield "lerp.Tensor", call(vector, vector, np.ones(3, "float32")), TypeError
    yield "softplus", call(np.ones(3, "int64")), TypeError
    yield "silu", call(np.ones(3, "int64")), TypeError
    yield "threshold", call(flags, 0, 1), TypeError
    yield "mse_loss", call(np.ones(3, "int64"), np.ones(3, "int64")), TypeError
    yield "softmax.int", call(np.ones(3, "int64"), 0), TypeError
    yield "softmax.int", call(vector, 1), IndexError
    yield "logsumexp", call(vector, 1), IndexError
