"""Interposing over ordinary dispatch with the Python dispatcher.

While the Python dispatcher is on it comes before every other key. Kernels registered
with ``py_impl`` are seen by it alone, so nothing changes for anybody else.
`dispatch_trace` shows what it chose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import keyslot
from keyslot import ops


@ops.exp.default.py_impl("CompositeExplicitAutograd")
def not_reached(self: Any) -> Any:
    """A kernel at the backend itself comes before a composite."""
    raise AssertionError("exp has a NumPy kernel")


@ops.exp.default.py_impl("NumPy")
def checked_exp(self: Any) -> Any:
    """Refuse what overflows; the ordinary kernel is one redispatch away."""
    if np.max(self) > 709:
        raise OverflowError("exp would overflow")
    with keyslot.disable_python_dispatcher():
        return ops.exp(self)


x = np.array([0.0, 1.0, 710.0])
with keyslot.enable_python_dispatcher(), keyslot.dispatch_trace(print):
    print(ops.exp(x[:2]))
    try:
        ops.exp(x)
    except OverflowError as error:
        print("refused:", error)

with np.errstate(over="ignore"):
    print(ops.exp(x))  # off again: infinity, as NumPy has it
