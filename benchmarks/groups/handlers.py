"""Loading a handler, and what the cost of a call does not depend on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import keyslot

from .. import arrays, packages
from ..measure import Effort, Statement, compare
from ..processes import in_turn, middle_and_spread, run_child
from ..tables import Column, Table

LOADS = (
    Column("statement"),
    Column("ns", ".0f"),
    Column("x cached load", ".1f"),
    Column("middle half"),
    Column("goal"),
)
GROWTH = (
    Column("front door in a fresh process"),
    Column("x direct", ".2f"),
    Column("least to most"),
    Column("x first row", ".2f"),
)


def measure(effort: Effort) -> list[Table]:
    """Measure loads of handlers, then calls in fresh processes."""
    return [_loads(effort), _growth(effort)]


def _loads(effort: Effort) -> Table:
    ops: Any = packages.load_calls()
    op = ops.pair.default
    names = {"op": op, "key": "PrivateUse1", "load": getattr}
    cached = Statement("op.PrivateUse1", names)
    cases = {
        "op.PrivateUse1, cached": (cached, ""),
        'getattr(op, "PrivateUse1"), cached': (Statement("load(op, key)", names), ""),
        # What a registration does to the slot, so that the next load resolves.
        "del op.PrivateUse1, then resolved": (
            Statement("del op.PrivateUse1; op.PrivateUse1", names),
            ">= 20",
        ),
    }
    assert cached.evaluate() is arrays.first
    table = Table("Loading the handler of a key", LOADS)
    results = compare([(cached, statement) for statement, _ in cases.values()], effort)
    for (name, (_, goal)), found in zip(cases.items(), results, strict=True):
        cells = (found.seconds * 1e9, found.ratio, found.spread, goal)
        table.rows.append((name, *cells))
    return table


def _growth(effort: Effort) -> Table:
    packages.load_calls()
    few, many = 10, effort.operators
    # All that a kernel may be registered at without changing where the call goes.
    kernels = min(40, len(list(keyslot.DispatchKey)) - 4)
    cases = {
        f"{few} operators, 1 kernel, 1 type": (few, 1, 0),
        f"{many:,} operators": (many, 1, 0),
        f"{kernels} kernels of the operator": (few, kernels, 0),
        f"{effort.types:,} types seen": (few, 1, effort.types),
        "all of these": (many, kernels, effort.types),
    }
    measured: dict[str, Callable[[], float]] = {
        name: partial(_ratio, effort, *case) for name, case in cases.items()
    }
    found = in_turn(measured, effort.processes)
    first = median(next(iter(found.values())))
    table = Table("The same call after other things were done", GROWTH)
    for name, ratios in found.items():
        middle, spread = middle_and_spread(ratios, ".2f")
        table.rows.append((name, middle, spread, middle / first))
    table.notes.append("Each row has the medians of several processes, started in turn")
    return table


def _ratio(effort: Effort, operators: int, kernels: int, types: int) -> float:
    package = packages.generate_many(operators)
    ratio: float = run_child(
        "call_cost",
        *(str(effort.rounds), str(effort.seconds)),
        *(package.name, str(kernels), str(types)),
        folders=(packages.folder(),),
    )
    return ratio
