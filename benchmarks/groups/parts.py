"""What the parts of a call cost: functions that do a part of what a call has to do.

The operator is one whose kernel is a function of NumPy itself. Each row is a function
written by hand that does one thing more than the row above it, and the last one is the
operator: so it shows what is left to gain, and where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from keyslot import ops

from ..arrays import first
from ..measure import Effort, Statement, compare
from ..tables import Column, Table

COLUMNS: Final = (
    Column("function"),
    Column("ns", ".0f"),
    Column("above NumPy, in empty calls", ".1f"),
    Column("goal"),
)

active = False
kernel: Final = np.negative
handlers: Final[dict[type, Callable[..., Any]]] = {np.ndarray: np.negative}


def measure(effort: Effort) -> list[Table]:
    """Measure each function beside NumPy's."""
    a = np.linspace(1.0, 2.0, 4)
    numpy = Statement("op(a)", {"op": kernel, "a": a})
    empty = Statement("op(a, a)", {"op": first, "a": None})
    rows: list[tuple[str, Callable[..., Any], str]] = [
        ("calls NumPy's function", _calls, ""),
        ("and has a keyword-only parameter, as for `out`", _keyword_only, ""),
        ("and looks the function up by the type", _looks_up, ""),
        ("and asks whether a guard is on", _asks, ""),
        ("`ops.neg`", ops.neg, "<= 4"),
        ("the same without the keyword-only parameter", _positional, ""),
    ]
    statements = [Statement("op(a)", {"op": op, "a": a}) for _, op, _ in rows]
    pairs = [*((numpy, each) for each in statements), (empty, empty)]
    *found, nothing = compare(pairs, effort)
    table = Table("What the parts of a call cost", COLUMNS)
    for (name, _, goal), part in zip(rows, found, strict=True):
        above = part.extra / nothing.seconds
        table.rows.append((name, part.seconds * 1e9, above, goal))
    table.notes.append(
        "An array of 4 elements. An empty call is that of a Python function of two"
        f" arguments that returns at once: {nothing.seconds * 1e9:.0f} ns"
    )
    return [table]


def _calls(self: Any) -> Any:
    return kernel(self)


def _keyword_only(self: Any, *, out: Any = None) -> Any:
    return kernel(self)


def _looks_up(self: Any, *, out: Any = None) -> Any:
    return handlers[type(self)](self)


def _asks(self: Any, *, out: Any = None) -> Any:
    if out is None and not active:
        return handlers[type(self)](self)
    return None


def _positional(self: Any) -> Any:
    if not active:
        return handlers[type(self)](self)
    return None
