"""Shipped operators by family, beside NumPy's functions and PyTorch's operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Final

from keyslot import ops

from ..family_calls import FamilyCall, arguments, family_calls
from ..machine import installed
from ..measure import UNROLL, Compared, Effort, Statement, compare
from ..tables import Column, Table

SMALL: Final = 4
LARGE: Final = 1_000_000
#: How often a call is timed that is not timed beside another one, or takes long.
_FEWER_ROUNDS: Final = 7

SUMMARY_COLUMNS: Final = (
    Column("family"),
    Column("calls", "d"),
    Column("one NumPy function", "d"),
    Column("of these: above, in empty calls", ".1f"),
    Column("the others", ".1f"),
    Column("as fast as torch or faster", "d"),
    Column("x torch", ".2f"),
)
SMALL_COLUMNS: Final = (
    Column("call"),
    Column("NumPy's function itself"),
    Column("NumPy, ns", ".0f"),
    Column("keyslot, ns", ".0f"),
    Column("x NumPy", ".2f"),
    Column("middle half"),
    Column("above, in empty calls", ".1f"),
    Column("torch, ns", ".0f"),
)
LARGE_COLUMNS: Final = (
    Column("call"),
    Column("NumPy, us", ".0f"),
    Column("x NumPy", ".3f"),
    Column("middle half"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out for one call with small arrays."""

    call: FamilyCall
    #: Whether the operator's kernel is a function of NumPy itself.
    is_direct: bool
    ours: Compared
    #: Above NumPy's call, in empty calls.
    above: float
    #: Seconds of PyTorch's call, where PyTorch is installed.
    torch: float | None


def measure(effort: Effort) -> list[Table]:
    """Measure small arrays, where a call costs most, and large ones."""
    calls = family_calls()
    measured, empty = _small(calls, effort)
    summary = _summary(measured, empty)
    return [summary, _small_table(measured), _large(calls, effort)]


def _small(calls: list[FamilyCall], effort: Effort) -> tuple[list[Measured], float]:
    """Return what came out for small arrays, and the seconds of an empty call."""
    names = arguments(SMALL)
    empty_call = _empty_call()
    # In the same rounds as all others, so that they are as fast or slow together.
    pairs = [*(_pair(call, names) for call in calls), (empty_call, empty_call)]
    *found, empty = compare(pairs, effort)
    torch = _torch(calls, effort)
    return [
        Measured(call, is_direct(call), ours, ours.extra / empty.seconds, seconds)
        for call, ours, seconds in zip(calls, found, torch, strict=True)
    ], empty.seconds


def _pair(
    call: FamilyCall, names: dict[str, Any], unroll: int = UNROLL
) -> tuple[Statement, Statement]:
    """Return NumPy's call and ours."""
    import numpy as np

    bare = {"op": getattr(np, call.function), **names}
    ours = {"op": getattr(ops, call.operator), **names}
    return (
        Statement(f"op({call.function_arguments})", bare, unroll=unroll),
        Statement(f"op({call.arguments})", ours, unroll=unroll),
    )


def is_direct(call: FamilyCall) -> bool:
    """Whether the kernel of a call is a function of NumPy itself, none of ours."""
    overload: Any = getattr(ops, call.operator)
    for part in call.overload.split(".")[1:] or ["default"]:
        overload = getattr(overload, part)
    return bool(overload.kernels.get("NumPy") == f"numpy:{call.function}")


def _empty_call() -> Statement:
    """Return a call of a Python function of two arguments that returns at once."""
    from ..arrays import first

    return Statement("op(a, a)", {"op": first, "a": None})


def _torch(calls: list[FamilyCall], effort: Effort) -> Iterator[float | None]:
    """Yield the seconds of PyTorch's calls, None where PyTorch is not installed."""
    if installed("torch") is None:
        yield from [None] * len(calls)
        return
    import numpy as np
    import torch

    torch.set_num_threads(1)
    names = {
        name: torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
        for name, value in arguments(SMALL).items()
    }
    for call in calls:
        own = getattr(torch, call.operator, None)
        function = own or getattr(torch.ops.aten, call.operator)
        statement = Statement(f"op({call.arguments})", {"op": function, **names})
        (found,) = compare([(statement, statement)], _fewer(effort))
        yield found.seconds


def _summary(measured: list[Measured], empty: float) -> Table:
    """Return what came out by family."""
    table = Table(f"Families of operators, arrays of {SMALL} elements", SUMMARY_COLUMNS)
    for family in dict.fromkeys(one.call.family for one in measured):
        of_family = [one for one in measured if one.call.family == family]
        direct = [one.above for one in of_family if one.is_direct]
        others = [one.above for one in of_family if not one.is_direct]
        ratios = [one.ours.seconds / one.torch for one in of_family if one.torch]
        table.rows.append(
            (
                family,
                len(of_family),
                len(direct),
                median(direct) if direct else None,
                median(others) if others else None,
                sum(ratio <= 1 for ratio in ratios) if ratios else None,
                median(ratios) if ratios else None,
            )
        )
    table.notes.append(
        "Medians of the calls of a family. An empty call is that of a Python function"
        f" of two arguments that returns at once: {empty * 1e9:.0f} ns"
    )
    return table


def _small_table(measured: list[Measured]) -> Table:
    table = Table(f"Arrays of {SMALL} elements", SMALL_COLUMNS)
    for one in measured:
        ours = one.ours
        table.rows.append(
            (
                f"`{one.call.source}`",
                "yes" if one.is_direct else "",
                (ours.seconds - ours.extra) * 1e9,
                ours.seconds * 1e9,
                ours.ratio,
                ours.spread,
                one.above,
                one.torch * 1e9 if one.torch else None,
            )
        )
    return table


def _large(calls: list[FamilyCall], effort: Effort) -> Table:
    table = Table(f"Arrays of {LARGE:,} elements", LARGE_COLUMNS)
    names = arguments(LARGE)
    # A single call takes longer than a timing of small ones.
    pairs = [_pair(call, names, unroll=1) for call in calls]
    for call, found in zip(calls, compare(pairs, _fewer(effort)), strict=True):
        bare = found.seconds - found.extra
        source = f"`{call.source}`"
        table.rows.append((source, bare * 1e6, found.ratio, found.spread))
    return table


def _fewer(effort: Effort) -> Effort:
    return replace(effort, rounds=min(effort.rounds, _FEWER_ROUNDS))
