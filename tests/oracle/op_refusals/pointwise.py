"""Calls of the pointwise operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    flags, vector, table = np.ones(3, bool), np.ones(3), np.ones((2, 3))
    whole = np.ones(3, "int64")
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
