"""Calls of the shape operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    flags, vector, table = np.ones(3, bool), np.ones(3), np.ones((2, 3))
    nothing = np.zeros((0, 3))
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
