"""Calls about diagonals, norms and truth that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    vector, table = np.ones(3), np.ones((2, 3))
    yield "tril", call(vector), ValueError
    yield "triu_", call(vector), ValueError
    yield "diag_embed", call(vector, 0, 0, 0), ValueError
    yield "diag_embed", call(vector, 0, 0, 2), IndexError
    yield "diagonal_scatter", call(table, vector), ValueError
    yield "masked_select", call(vector, vector), TypeError
    yield "masked_select", call(vector, np.ones(2, bool)), ValueError
    yield "linalg_vector_norm", call(np.ones(3, "int64")), TypeError
    yield "linalg_vector_norm", call(vector, 1j), ValueError
    yield "linalg_vector_norm", call(vector, 2, dtype="float32"), TypeError
    yield "linalg_vector_norm", call(vector, 2, 1), IndexError
    yield "linalg_vector_norm", call(np.ones(0), np.inf), ValueError
    yield "all.dim", call(vector, 1), IndexError
    yield "all.all_out", call(vector, out=np.zeros(())), TypeError
    yield "cumprod", call(vector, 1), IndexError
    yield "cumprod_", call(vector, 0, dtype="float32"), TypeError
