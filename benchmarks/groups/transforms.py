"""Transforms beside those of other libraries, on one program of 1,000 multiplications.

Each library is timed in processes of its own: first what a call takes when nothing has
been called yet, then calls after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any, Final

from ..machine import installed
from ..measure import Effort, Statement, compare
from ..processes import run_child
from ..tables import Column, Table

COLUMNS: Final = (
    Column("call"),
    Column("first ms", ".1f"),
    Column("later ms", ".2f"),
    Column("least to most"),
    Column("x keyslot", ".1f"),
    Column("nodes", "d"),
    Column("goal"),
)
GROWTH: Final = (
    Column("nodes", ",d"),
    Column("recording, us each", ".2f"),
    Column("going back, us each", ".2f"),
    Column("grown, bytes each", ",.0f"),
)
COMPILED: Final = (
    Column("program"),
    Column("us", ".2f"),
    Column("x direct calls", ".2f"),
    Column("middle half"),
    Column("goal"),
)
#: What is compared with what: ours first.
_GROUPS: Final = (
    ("keyslot make_fx", "torch make_fx", "jax make_jaxpr", "autograd trace"),
    ("keyslot make_fx of grad", "torch make_fx of grad", "jax make_jaxpr of grad"),
    ("keyslot make_fx of vmap", "torch make_fx of vmap", "jax make_jaxpr of vmap"),
    ("keyslot grad", "keyslot backward", "torch backward", "autograd grad"),
)
_GOALS: Final = {
    "keyslot make_fx": "<= 8 ms, first <= 30",
    "keyslot make_fx of grad": "<= 60 ms",
    "keyslot make_fx of vmap": "<= 25 ms",
    "keyslot grad": "<= 10 ms",
    "keyslot backward": "<= 10 ms",
}


def measure(effort: Effort) -> list[Table]:
    """Measure tracing and gradients, how they grow, and compiled graphs."""
    return [_peers(effort), _growth(effort), _compiled(effort)]


def _peers(effort: Effort) -> Table:
    count = 20 if effort.smoke else 1000
    table = Table(f"Transforms of {count:,} multiplications", COLUMNS)
    for cases in _GROUPS:
        ours: float | None = None
        for case in cases:
            library = case.split()[0]
            if library != "keyslot" and installed(library) is None:
                continue
            found = _timed(case, effort, count)
            later = median(found["later"])
            ours = ours or later
            spread = f"{min(found['later']):.2f} to {max(found['later']):.2f}"
            nodes = found["nodes"] or None
            row = (case, found["first"], later, spread, later / ours, nodes)
            table.rows.append((*row, _GOALS.get(case, "")))
    for library in ("torch", "jax", "autograd"):
        if installed(library) is None:
            table.notes.append(f"{library} is not installed")
    return table


def _timed(case: str, effort: Effort, count: int) -> dict[str, Any]:
    """Return the first call, the least of some processes, and all later ones."""
    rounds = "1" if effort.smoke else "7"
    runs = [
        run_child("transform", case, rounds, str(count))
        for _ in range(1 if effort.smoke else 3)
    ]
    return {
        "first": median([run["first"] for run in runs]),
        "later": [each for run in runs for each in run["later"]],
        "nodes": runs[0]["nodes"],
    }


def _growth(effort: Effort) -> Table:
    table = Table("Gradient of a chain of operators, by its length", GROWTH)
    lengths = (100, 1000) if effort.smoke else (1000, 10_000, 100_000, 1_000_000)
    for length in lengths:
        found = run_child("gradient_growth", str(length))
        record, back = found["record"] * 1e6 / length, found["back"] * 1e6 / length
        table.rows.append((length, record, back, found["grown"] / length))
    return table


def _compiled(effort: Effort) -> Table:
    table = Table("Compiled graphs, beside the kernels called by hand", COMPILED)
    programs = [*_programs()]
    results = compare([(direct, call) for _, direct, call in programs], effort)
    for (name, _, _), found in zip(programs, results, strict=True):
        row = (name, found.seconds * 1e6, found.ratio, found.spread, "<= 1.2")
        table.rows.append(row)
    return table


def _programs() -> Iterator[tuple[str, Statement, Statement]]:
    import numpy as np

    import keyslot.transforms as kt
    from keyslot import ops

    def fifty(x: Any) -> Any:
        for _ in range(50):
            x = ops.mul(x, x)
        return x

    def mixed(x: Any, y: Any) -> Any:
        return ops.sum(ops.tanh(ops.add(ops.mm(x, y), x)), [0])

    x, square = np.ones((10, 20)), np.full((4, 4), 0.5)
    kernel = ops.mul.Tensor.kernel_for(np.ndarray, np.ndarray)

    def by_hand(x: Any) -> Any:
        for _ in range(50):
            x = kernel(x, x)
        return x

    names = {"x": x, "by_hand": by_hand}
    compiled = kt.make_fx(fifty, "symbolic")(x).compile()
    yield (
        "50 multiplications",
        Statement("by_hand(x)", names, unroll=1),
        Statement("f(x)", {"x": x, "f": compiled}, unroll=1),
    )
    mm = ops.mm.default.kernel_for(np.ndarray, np.ndarray)
    add = ops.add.Tensor.kernel_for(np.ndarray, np.ndarray)
    tanh = ops.tanh.default.kernel_for(np.ndarray)
    total = ops.sum.dim_IntList.NumPy

    def mixed_by_hand(x: Any, y: Any) -> Any:
        return total(tanh(add(mm(x, y), x, alpha=1)), [0], False, dtype=None)

    both = {"x": square, "y": square}
    compiled = kt.make_fx(mixed, "symbolic")(square, square).compile()
    yield (
        "a layer: mm, add, tanh, sum",
        Statement("by_hand(x, y)", {**both, "by_hand": mixed_by_hand}, unroll=1),
        Statement("f(x, y)", {**both, "f": compiled}, unroll=1),
    )
