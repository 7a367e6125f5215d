"""Calls of the shipped operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .op_arguments import Call, call


def refusals() -> Iterator[tuple[str, Call, type[Exception]]]:
    """Yield calls that both refuse, and the exception that ours is."""
    flags, vector, table = np.ones(3, bool), np.ones(3), np.ones((2, 3))
    whole, nothing = np.ones(3, "int64"), np.zeros((0, 3))
    yield "add.Tensor", call(vector, np.ones(2)), ValueError
    yield "add.Tensor", call(whole, whole, alpha=0.5), ValueError
    yield "add.Tensor", call(whole, whole, alpha=True), ValueError
    yield "add.Tensor", call(vector, vector, alpha=1j), ValueError
    yield "add_.Tensor", call(vector, table), ValueError
    yield "add_.Tensor", call(whole, vector), TypeError
    yield "add.out", call(vector, vector, out=np.ones(3, "int64")), TypeError
    yield "sub.Tensor", call(flags, flags), TypeError
    yield "sub.Scalar", call(flags, True), TypeError
    yield "mul_.Scalar", call(whole, 0.5), TypeError
    yield "div.Tensor_mode", call(vector, vector, rounding_mode="ceil"), ValueError
    yield "neg", call(flags), TypeError
    yield "clamp", call(vector), ValueError
    yield "clamp.Tensor", call(vector), ValueError
    yield "where.self", call(flags, vector, np.ones(2)), ValueError
    yield "sum.dim_IntList", call(table, [2]), IndexError
    yield "sum.dim_IntList", call(table, [0, -2]), ValueError
    yield "sum.IntList_out", call(table, 0, dtype="float32", out=vector), TypeError
    yield "max", call(nothing), ValueError
    yield "max.dim", call(nothing, 0), ValueError
    yield "max.dim", call(table, 2), IndexError
    yield "var_mean.correction", call(whole), TypeError
    yield "transpose.int", call(table, 0, 2), IndexError
    yield "unsqueeze", call(table, 3), IndexError
    yield "view", call(table, [4]), ValueError
    yield "view", call(table.T, [6]), ValueError
    yield "view", call(nothing, [-1, 0]), ValueError
    yield "cat", call([]), TypeError
    yield "cat", call([np.array(1.0)]), ValueError
    yield "cat", call([table, np.ones((3, 2))]), ValueError
    yield "stack", call([vector, np.ones(2)]), ValueError
    yield "index.Tensor", call(table, []), ValueError
    yield "index.Tensor", call(table, [np.array([2])]), IndexError
    yield "index.Tensor", call(table, [np.array([0.0])]), IndexError
    yield "index.Tensor", call(table, [flags]), IndexError
    yield "split.Tensor", call(table, 0), ValueError
    yield "split.Tensor", call(table, -1), ValueError
    yield "split.Tensor", call(np.array(1.0), 1), IndexError
    yield "zeros", call([-1]), ValueError
    yield "full", call([1], 300, dtype="uint8"), OverflowError
    yield "arange", call(-1), ValueError
    yield "arange.start", call(3, 1), ValueError
