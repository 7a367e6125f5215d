"""Calls of operators with indices and masks that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    flags, vector, table = np.ones(3, bool), np.ones(3), np.ones((2, 3))
    rows = np.array([0, 1])
    yield "index.Tensor", call(table, []), ValueError
    yield "index.Tensor", call(table, [np.array([2])]), IndexError
    yield "index.Tensor", call(table, [np.array([0.0])]), IndexError
    yield "index.Tensor", call(table, [flags]), IndexError
    yield "index.Tensor_out", call(table, [rows], out=np.ones((2, 3), int)), TypeError
    yield "index_put", call(table, [], vector), ValueError
    yield "index_put", call(table, [rows], np.ones(3, "float32")), TypeError
    yield "index_put", call(table, [rows], np.ones(2)), ValueError
    yield "index_put", call(table, [rows], np.ones((1, 2, 3))), ValueError
    yield "index_put_", call(vector, [np.array(0)], np.ones(1)), ValueError
    yield "index_put_", call(table, [np.array([2])], vector), IndexError
    yield "index_put_", call(vector, [np.array([5])], np.ones(1), True), IndexError
    yield "index_select", call(table, 2, rows), IndexError
    yield "index_select", call(table, 0, np.array([2])), IndexError
    yield "index_select", call(table, 0, np.array([-1])), IndexError
    yield "index_select", call(table, 0, rows.astype("uint8")), TypeError
    yield "index_select", call(table, 0, np.ones(1)), TypeError
    yield "index_select", call(table, 0, rows[None]), ValueError
    yield "index_select", call(np.array(1.0), 0, rows), ValueError
    yield "masked_scatter", call(vector, np.ones(3, bool), np.ones(2)), ValueError
    yield "masked_scatter", call(vector, np.ones(3, "int64"), vector), TypeError
    yield "masked_scatter", call(vector, np.ones(3, bool), np.ones(3, int)), TypeError
    yield "masked_scatter", call(vector, np.ones(2, bool), vector), ValueError
    yield "masked_scatter_", call(vector, np.ones((2, 3), bool), table), ValueError
    yield "slice_scatter", call(vector, np.ones(1), 0, 1), ValueError
    yield "slice_scatter", call(vector, vector, 0, 0, 3, 0), ValueError
    yield "select_scatter", call(table, np.ones(1), 0, 0), ValueError
    yield "select_scatter", call(table, vector, 0, 2), IndexError
    yield "gather", call(table, 0, np.array([[2]])), IndexError
    yield "gather", call(table, 0, np.array([[-1]])), IndexError
    yield "gather", call(table, 2, np.array([[0]])), IndexError
    yield "gather", call(table, 0, rows), ValueError
    yield "gather", call(table, 0, np.zeros((1, 4), int)), ValueError
    yield "gather", call(vector, 0, np.ones(1)), TypeError


@refuses
def _refusals_of_scatter() -> Refusals:
    vector, table, one = np.ones(3), np.ones((2, 3)), np.array([1])
    for name in ("scatter.src", "scatter_.src", "scatter_add", "scatter_add_"):
        yield name, call(vector, 0, one, np.ones(1, int)), TypeError
        yield name, call(vector, 0, one.astype("int16"), vector), TypeError
        yield name, call(vector, 0, np.array([3]), vector), IndexError
        yield name, call(vector, 0, np.array([-1]), vector), IndexError
        yield name, call(vector, 1, one, vector), IndexError
        yield name, call(vector, 0, np.array([1, 2]), np.ones(1)), ValueError
        yield name, call(table, 0, one, np.ones(1)), ValueError
        yield name, call(vector, 0, one, np.ones((1, 1))), ValueError
        yield name, call(table, 0, np.zeros((1, 4), int), np.ones((1, 4))), ValueError
    yield "scatter.value", call(vector, 0, np.array([3]), 1), IndexError
    yield "scatter.value", call(vector, 0, one, 1j), ValueError
    yield "scatter_reduce.two", call(vector, 0, one, vector, "add"), ValueError
    yield "scatter_reduce.two", call(vector, 0, one, np.ones(1, int), "sum"), TypeError
    for dtype, reduce in ((bool, "mean"), (complex, "amax"), (complex, "amin")):
        given = np.ones(3, dtype)
        yield "scatter_reduce_.two", call(given, 0, one, given, reduce), TypeError
