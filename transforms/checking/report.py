"""What a check of an operator found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: str
    outcome: Outcome
    #: Why it failed or was skipped; what was compared where it passed.
    why: str

    def __str__(self) -> str:
        text = f"{self.check:12}{self.outcome}"
        lines = self.why.splitlines() or [""]
        rest = [f"{'':12}{line}" for line in lines[1:]]
        return "\n".join([f"{text}: {lines[0]}" if lines[0] else text, *rest])


@dataclass(frozen=True, slots=True)
class Report:
    """What all checks of one call found; prints as a table."""

    op: str
    schema: str
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The checks that failed."""
        return tuple(f for f in self.findings if f.outcome == "failed")

    def __bool__(self) -> bool:
        return not self.failed

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.op}", f"schema: {self.schema}", *map(str, self.findings)]
        )


class Skipped(Exception):
    """Raised by a check that has nothing to do, with the reason."""
