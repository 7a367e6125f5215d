"""Time and memory of the gradient of a chain of operators, by its length.

    python -m benchmarks.children.gradient_growth LENGTH

Prints seconds of recording and of going back, and the bytes that the process grew by.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import numpy as np

from keyslot import Tensor, ops

from .memory import STATM


def _resident() -> int:
    if not STATM.exists():
        return 0
    return int(STATM.read_text().split()[1]) * 4096


def main() -> None:
    """Measure one chain."""
    start_tensor = Tensor(np.ones(1), requires_grad=True)
    ops.neg(start_tensor).backward()
    before, start = _resident(), perf_counter()
    y = start_tensor
    for _ in range(int(sys.argv[1])):
        y = ops.neg(y)
    recorded = perf_counter()
    grown = _resident() - before
    y.backward()
    done = perf_counter()
    spent = {"record": recorded - start, "back": done - recorded}
    print(json.dumps({**spent, "grown": grown}))


if __name__ == "__main__":
    main()
