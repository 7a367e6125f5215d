"""What a call costs beyond its kernel, in every form, and what it costs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import keyslot

from .. import arrays, packages
from ..machine import installed
from ..measure import Compared, Effort, Statement, compare
from ..peers import available
from ..tables import Column, Table

OWN = (
    Column("call"),
    Column("ns", ".0f"),
    Column("x direct", ".2f"),
    Column("middle half"),
    Column("goal"),
)
OTHERS = (
    Column("dispatcher"),
    Column("version"),
    Column("looks at"),
    Column("ns", ".0f"),
    Column("x direct", ".2f"),
    Column("middle half"),
    Column("x front door", ".2f"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A call, and the call of its kernel that it is compared with."""

    name: str
    direct: Statement
    call: Statement
    goal: str = ""


def measure(effort: Effort) -> list[Table]:
    """Measure calls of operators, and the peers."""
    ops: Any = packages.load_calls()
    with (
        keyslot.register_array_type(arrays.Left, "PrivateUse1"),
        keyslot.register_array_type(arrays.Right, "PrivateUse2"),
    ):
        cases = list(_cases(ops))
        _check(cases)
        results = compare([(case.direct, case.call) for case in cases], effort)
        front_door = cases[1]
        peers = _peer_table(front_door, effort)
    return [_own_table(cases, results), peers]


def _cases(ops: Any) -> Iterator[Case]:
    """Yield the calls; the first is the direct call itself, which shows the noise."""
    a, b, out = arrays.Left(), arrays.Left(), arrays.Left()
    both = {"a": a, "b": b}
    direct = Statement("op(a, b)", {"op": arrays.first, **both})

    def call(op: Any, source: str, **names: Any) -> Statement:
        return Statement(source, {"op": op, **both, **names})

    yield Case("the kernel itself", direct, call(arrays.first, "op(a, b)"))
    yield Case("front door, one overload", direct, call(ops.pair, "op(a, b)"), "<= 3.5")
    yield Case(
        "the same, b by keyword", direct, call(ops.pair, "op(a, other=b)"), "<= 6"
    )
    yield Case(
        "front door with Scalar and out overloads", direct, call(ops.mul, "op(a, b)")
    )
    yield Case("the same, with a number", direct, call(ops.mul, "op(a, 2.0)"))
    yield Case(
        "the same, with out",
        call(arrays.first_out, "op(a, b, out=out)", out=out),
        call(ops.mul, "op(a, b, out=out)", out=out),
    )
    yield Case(
        "overload instance", direct, call(ops.pair.default, "op(a, b)"), "<= 5.5"
    )
    kernel = ops.pair.default.kernel_for(arrays.Left, arrays.Left)
    yield Case("what kernel_for returns", direct, call(kernel, "op(a, b)"), "1.0")
    yield from _defaulted(ops, call)


def _defaulted(ops: Any, call: Any) -> Iterator[Case]:
    """Yield calls with defaults, keywords, lists, and arguments by position."""
    by_name = call(arrays.first_alpha, "op(a, b, alpha=1)")
    third = call(arrays.first_times, "op(a, b, 1)")
    yield Case("alpha=1 left away", by_name, call(ops.scale, "op(a, b)"), "<= 6")
    yield Case("alpha=1 given", by_name, call(ops.scale, "op(a, b, alpha=1)"), "<= 6")
    yield Case(
        "alpha=2.5 given", by_name, call(ops.scale, "op(a, b, alpha=2.5)"), "<= 6"
    )
    yield Case("times=1 left away", third, call(ops.repeat, "op(a, b)"), "<= 6")
    yield Case(
        "times=1 by keyword", third, call(ops.repeat, "op(a, b, times=1)"), "<= 6"
    )
    yield Case("add of a number, alpha left away", third, call(ops.add, "op(a, 2)"))
    yield Case(
        "add of a number, alpha by position", third, call(ops.add, "op(a, 2, 1)")
    )
    two, ten = [arrays.Left()] * 2, [arrays.Left()] * 10
    for name, items in (("2", two), ("10", ten)):
        direct = call(arrays.first_of, "op(items, 0)", items=items)
        yield Case(
            f"list of {name} arrays", direct, call(ops.join, "op(items)", items=items)
        )


def _check(cases: list[Case]) -> None:
    """See that every call reaches its kernel: both return the same object."""
    for case in cases:
        if case.call.evaluate() is not case.direct.evaluate():
            raise AssertionError(f"{case.name}: not the kernel's result")


def _own_table(cases: list[Case], results: list[Compared]) -> Table:
    table = Table("Calls of operators with two array arguments", OWN)
    for case, found in zip(cases, results, strict=True):
        row = (case.name, found.seconds * 1e9, found.ratio, found.spread, case.goal)
        table.rows.append(row)
    table.notes.append(
        "Direct is the kernel called with all its arguments; the first row is the noise"
    )
    return table


def _peer_table(front_door: Case, effort: Effort) -> Table:
    table = Table("The same call in other dispatchers", OTHERS)
    peers = list(available(table.notes))
    pairs = [(front_door.direct, call) for _, call in peers]
    results = compare([*pairs, (front_door.direct, front_door.call)], effort)
    here = results[-1]
    rows = [
        ("keyslot", installed("keyslot"), "both types, all keys", here),
        *(
            (peer.name, _version(peer.distribution), peer.looks_at, found)
            for (peer, _), found in zip(peers, results, strict=False)
        ),
    ]
    for name, version, looks_at, found in sorted(rows, key=lambda row: row[3].ratio):
        times = found.ratio / here.ratio
        cells = (found.seconds * 1e9, found.ratio, found.spread, times)
        table.rows.append((name, version, looks_at, *cells))
    return table


def _version(distribution: str | None) -> str | None:
    return installed(distribution) if distribution is not None else None
