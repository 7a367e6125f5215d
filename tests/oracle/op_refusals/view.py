"""Calls of the view operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    number, vector, table = np.array(1.0), np.ones(3), np.ones((2, 3))
    nothing = np.zeros((0, 3))
    yield "transpose.int", call(table, 0, 2), IndexError
    yield "unsqueeze", call(table, 3), IndexError
    yield "view", call(table, [4]), ValueError
    yield "view", call(table, [-2, 3]), ValueError
    yield "view", call(table.T, [6]), ValueError
    yield "view", call(nothing, [-1, 0]), ValueError
    yield "split.Tensor", call(table, 0), ValueError
    yield "split.Tensor", call(table, -1), ValueError
    yield "split.Tensor", call(np.array(1.0), 1), IndexError
    yield "as_strided", call(vector, [2], [3]), ValueError
    yield "as_strided", call(vector, [2], [1], 2), ValueError
    yield "as_strided", call(vector, [2], [-1], 2), ValueError
    yield "as_strided", call(vector, [-2], [1]), ValueError
    yield "as_strided", call(vector, [2], [1], -1), ValueError
    yield "as_strided", call(vector, [2, 2], [1]), ValueError
    yield "diagonal", call(table, 0, 1, -1), ValueError
    yield "diagonal", call(vector, 0, 0, 0), ValueError
    yield "diagonal", call(vector), IndexError
    yield "diagonal", call(table, 0, 0, 2), IndexError
    yield "expand", call(vector, [-1, 3]), ValueError
    yield "expand", call(table, [3]), ValueError
    yield "expand", call(table, [2, 4]), ValueError
    yield "expand", call(np.ones(1), [-2]), ValueError
    yield "permute", call(table, [0]), ValueError
    yield "permute", call(table, [0, -2]), ValueError
    yield "permute", call(table, [0, 2]), IndexError
    yield "select.int", call(number, 0, 0), IndexError
    yield "select.int", call(table, 2, 0), IndexError
    yield "select.int", call(table, 0, 2), IndexError
    yield "select.int", call(table, 0, -3), IndexError
    yield "slice.Tensor", call(number), IndexError
    yield "slice.Tensor", call(table, 2), IndexError
    yield "slice.Tensor", call(vector, 0, 0, 2, 0), ValueError
    yield "slice.Tensor", call(vector, 0, 0, 2, -1), ValueError
    yield "split_with_sizes", call(vector, [1, 1]), ValueError
    yield "split_with_sizes", call(vector, [4, -1]), ValueError
    yield "split_with_sizes", call(table, [2], 2), IndexError
    yield "squeeze.dim", call(table, 2), IndexError
    yield "squeeze.dim", call(number, 1), IndexError
    yield "squeeze.dims", call(table, [0, -2]), ValueError
    yield "squeeze.dims", call(table, [2]), IndexError
    yield "sym_size.int", call(number, 0), IndexError
    yield "sym_stride.int", call(table, 2), IndexError
    yield "reshape", call(table, [4]), ValueError
    yield "reshape", call(table.T, [-2, 3]), ValueError
    yield "reshape", call(nothing, [-1, 0]), ValueError
    yield "flatten.using_ints", call(table, 1, 0), ValueError
    yield "flatten.using_ints", call(table, 0, 2), IndexError
    yield "movedim.int", call(table, 2, 0), IndexError
    yield "movedim.int", call(table, 0, -3), IndexError
    yield "movedim.intlist", call(table, [0], [0, 1]), ValueError
    yield "movedim.intlist", call(table, [0, -2], [0, 1]), ValueError
    yield "movedim.intlist", call(table, [0, 1], [1, 1]), ValueError
    yield "t", call(np.ones((1, 2, 3))), ValueError
    yield "mT", call(vector), ValueError
    yield "imag", call(vector), TypeError
    yield "view_as_real", call(vector), TypeError
    yield "view_as_complex", call(vector), ValueError
    yield "view_as_complex", call(np.ones((3, 2), "int64")), TypeError
    yield "view_as_complex", call(np.ones((2, 3)).T), ValueError
