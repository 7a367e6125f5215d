"""Shipped operators whose kernel is a NumPy function, beside that function itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from statistics import median
from typing import Any, Final

from keyslot import ops

from ..machine import installed
from ..measure import Effort, Statement, compare
from ..tables import Column, Table

#: The namespace: to a type checker a module, which is not iterable.
OPS: Final[Any] = ops
SMALL: Final = 4
LARGE: Final = 1_000_000

SMALL_COLUMNS: Final = (
    Column("operator"),
    Column("NumPy, ns", ".0f"),
    Column("keyslot, ns", ".0f"),
    Column("x NumPy", ".2f"),
    Column("middle half"),
    Column("above, in empty calls", ".1f"),
    Column("torch, ns", ".0f"),
    Column("torch x NumPy", ".2f"),
)
LARGE_COLUMNS: Final = (
    Column("operator"),
    Column("NumPy, us", ".0f"),
    Column("x NumPy", ".3f"),
    Column("middle half"),
)


@dataclass(frozen=True, slots=True)
class Operator:
    """A shipped operator, the NumPy function it calls, and their arguments."""

    name: str
    function: Any
    kernel: Any
    arguments: tuple[str, ...]

    def pair(self, size: int) -> tuple[Statement, Statement]:
        """Return the bare call and ours, on arrays of this many elements."""
        import numpy as np

        numbers = np.linspace(1.0, 2.0, size)
        if self.name.startswith("bitwise"):
            numbers = numbers.astype(int)
        names = {
            name: numbers > 1.5 if name == "condition" else numbers.copy()
            for name in self.arguments
        }
        source = f"op({', '.join(names)})"
        bare = Statement(source, {"op": self.kernel, **names})
        return bare, Statement(source, {"op": self.function, **names})


def measure(effort: Effort) -> list[Table]:
    """Measure small arrays, where a call costs most, and large ones."""
    operators = list(_operators())
    return [_small(operators, effort), _large(operators, effort)]


def _operators() -> Iterator[Operator]:
    """Yield every shipped operator that hands Tensors, and no more, to NumPy."""
    for name in OPS:
        function = getattr(OPS, name)
        for overload in map(function.__dict__.get, function.overloads()):
            module, _, attribute = overload.kernels.get("NumPy", "").partition(":")
            arguments = overload.schema.arguments
            if module == "numpy" and all(str(a.type) == "Tensor" for a in arguments):
                kernel = getattr(import_module(module), attribute)
                yield Operator(name, function, kernel, tuple(a.name for a in arguments))


def _small(operators: list[Operator], effort: Effort) -> Table:
    table = Table(f"Arrays of {SMALL} elements", SMALL_COLUMNS)
    pairs = [operator.pair(SMALL) for operator in operators]
    results = compare(pairs, effort)
    empty = _empty_call(effort)
    others: list[tuple[float, float] | None] = list(_torch(operators, pairs, effort))
    for operator, found, other in zip(operators, results, others, strict=True):
        bare = found.seconds - found.extra
        row = (
            operator.name,
            bare * 1e9,
            found.seconds * 1e9,
            found.ratio,
            found.spread,
        )
        nanoseconds, ratio = other or (None, None)
        table.rows.append((*row, found.extra / empty, nanoseconds, ratio))
    table.notes.append(
        f"An empty call is that of a Python function that returns at once:"
        f" {empty * 1e9:.0f} ns; the median of the operators is"
        f" {median(found.extra / empty for found in results):.1f} of them above NumPy"
    )
    return table


def _empty_call(effort: Effort) -> float:
    """Return the seconds that calling a Python function of two arguments takes."""
    from ..arrays import first

    nothing = Statement("op", {"op": first, "a": None})
    call = Statement("op(a, a)", {"op": first, "a": None})
    (found,) = compare([(nothing, call)], effort)
    return found.extra


def _torch(
    operators: list[Operator], pairs: list[tuple[Statement, Statement]], effort: Effort
) -> Iterator[tuple[float, float] | None]:
    """Yield PyTorch's time and its ratio to NumPy for each operator that it has."""
    if installed("torch") is None:
        yield from [None] * len(operators)
        return
    import torch

    torch.set_num_threads(1)
    for operator, (bare, _) in zip(operators, pairs, strict=True):
        function = getattr(torch, operator.name, None)
        if function is None:
            yield None
            continue
        names = {n: torch.from_numpy(v) for n, v in bare.names.items() if n != "op"}
        statement = Statement(bare.source, {"op": function, **names})
        (found,) = compare([(bare, statement)], effort)
        yield found.seconds * 1e9, found.ratio


def _large(operators: list[Operator], effort: Effort) -> Table:
    table = Table(f"Arrays of {LARGE:,} elements", LARGE_COLUMNS)
    # A single call takes longer than a timing of small ones.
    pairs = [operator.pair(LARGE) for operator in operators]
    for operator, found in zip(operators, compare(pairs, effort), strict=True):
        bare = found.seconds - found.extra
        table.rows.append((operator.name, bare * 1e6, found.ratio, found.spread))
    return table
