"""How things are timed: statements in turn with what they are compared with.

A statement is unrolled inside a loop whose names are all locals, so that a call costs
what it costs in tight code. Rounds are interleaved: each statement is timed between two
timings of its reference, and the ratio of a round is taken to the mean of the two, so
that a machine that slows down or speeds up meanwhile changes both. Garbage collection
is off while a clock runs.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final

#: How often a statement stands in the body of its loop, unless it says otherwise.
UNROLL: Final = 20


@dataclass(frozen=True, slots=True)
class Effort:
    """How much time a run may take."""

    #: How often each statement is timed.
    rounds: int
    #: How long one timing lasts, in seconds.
    seconds: float
    #: How often a process is started where a process is what is measured.
    processes: int
    #: How many operators are many, and how many types.
    operators: int
    types: int
    #: Whether this run only shows that everything works.
    smoke: bool = False


FULL: Final = Effort(rounds=21, seconds=0.01, processes=7, operators=3000, types=1000)
SMOKE: Final = Effort(
    rounds=2, seconds=0.0005, processes=1, operators=60, types=20, smoke=True
)


@dataclass(frozen=True, slots=True)
class Statement:
    """Python source to be timed, and the names it uses."""

    source: str
    names: Mapping[str, Any]
    #: Makes the context in which the statement runs; it is entered for each timing.
    context: Callable[[], AbstractContextManager[Any]] = nullcontext
    #: How often it stands in the body of its loop: once is enough where it takes long.
    unroll: int = UNROLL

    def evaluate(self) -> Any:
        """Return the value of the statement, an expression, when it runs once."""
        with self.context():
            return eval(self.source, dict(self.names))


@dataclass(frozen=True, slots=True)
class Compared:
    """What came out for one statement."""

    #: Seconds of one execution, the median over all rounds.
    seconds: float
    #: Seconds above those of the reference, likewise.
    extra: float
    #: Ratio to the reference: the median, and where the middle half of all rounds lies.
    ratio: float
    low: float
    high: float

    @property
    def spread(self) -> str:
        """Where the ratios of the middle half of all rounds lie."""
        return f"{self.low:.2f} to {self.high:.2f}"


@dataclass(slots=True)
class _Timed:
    """A statement ready to be timed."""

    statement: Statement
    effort: Effort
    _run: Callable[..., float] = field(init=False)
    _count: int = field(init=False)

    def __post_init__(self) -> None:
        self._run = _loop(self.statement)
        self._count = 1
        # The first run of all may resolve a handler, and says nothing about the next.
        self._spent()
        while (spent := self._spent()) < self.effort.seconds / 4:
            self._count *= 4
        self._count = max(1, round(self._count * self.effort.seconds / spent))

    def seconds(self) -> float:
        """Time the statement; return the seconds that one execution took."""
        return self._spent() / (self._count * self.statement.unroll)

    def _spent(self) -> float:
        statement = self.statement
        collecting = gc.isenabled()
        gc.disable()
        try:
            with statement.context():
                return self._run(self._count, perf_counter, **statement.names)
        finally:
            if collecting:
                gc.enable()


def _loop(statement: Statement) -> Callable[..., float]:
    """Return a function that times a number of loops over the unrolled statement."""
    names = ", ".join(statement.names)
    body = "\n        ".join([statement.source] * statement.unroll)
    source = f"""
def timed(count, clock, {names}):
    start = clock()
    for _ in range(count):
        {body}
    return clock() - start
"""
    made: dict[str, Any] = {}
    exec(compile(source, f"<timed: {statement.source}>", "exec"), made)
    loop: Callable[..., float] = made["timed"]
    return loop


def compare(
    pairs: Sequence[tuple[Statement, Statement]], effort: Effort
) -> list[Compared]:
    """Time pairs of a reference and a statement; return what came out for each."""
    references = {id(reference): reference for reference, _ in pairs}
    ready = {key: _Timed(value, effort) for key, value in references.items()}
    timed = [(ready[id(ref)], _Timed(statement, effort)) for ref, statement in pairs]
    seconds: list[list[float]] = [[] for _ in pairs]
    bases: list[list[float]] = [[] for _ in pairs]
    for _ in range(effort.rounds):
        last: _Timed | None = None
        before = 0.0
        for place, (reference, statement) in enumerate(timed):
            if reference is not last:
                # Once for the processor's caches, which hold what ran before.
                reference.seconds()
                before = reference.seconds()
            spent = statement.seconds()
            after = reference.seconds()
            seconds[place].append(spent)
            bases[place].append((before + after) / 2)
            before, last = after, reference
    return [_compared(*both) for both in zip(seconds, bases, strict=True)]


def _compared(seconds: Sequence[float], bases: Sequence[float]) -> Compared:
    both = list(zip(seconds, bases, strict=True))
    ratios = [spent / base for spent, base in both]
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return Compared(
        seconds=median(seconds),
        extra=median(spent - base for spent, base in both),
        ratio=middle,
        low=low,
        high=high,
    )
