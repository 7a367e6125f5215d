"""Calls of operators that join, pad and copy that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    vector, table = np.ones(3), np.ones((2, 3))
    yield "cat", call([]), TypeError
    yield "cat", call([np.array(1.0)]), ValueError
    yield "cat", call([table, np.ones((3, 2))]), ValueError
    yield "stack", call([vector, np.ones(2)]), ValueError
    yield "cat.out", call([vector, vector], out=np.ones(6, "int64")), TypeError
    yield "constant_pad_nd", call(vector, [1]), ValueError
    yield "constant_pad_nd", call(vector, [1, 1, 1, 1]), ValueError
    yield "constant_pad_nd", call(vector, [-2, -2]), ValueError
    yield "constant_pad_nd", call(vector, [-4, 4]), ValueError
    yield "constant_pad_nd", call(vector, [1, 1], 1j), ValueError
    yield "flip", call(table, [0, -2]), ValueError
    yield "flip", call(table, [2]), IndexError
    yield "repeat", call(table, [2]), ValueError
    yield "repeat", call(vector, [-1]), ValueError
    yield "copy", call(vector, np.ones(2)), ValueError
    yield "copy_", call(vector, np.ones((1, 3))), ValueError
    yield "copy_", call(vector, table), ValueError
    yield "resize_", call(vector, [3], memory_format="preserve_format"), ValueError
    yield "resize_", call(vector, [-3, -1]), ValueError
    yield "_local_scalar_dense", call(np.ones(0)), ValueError
