"""Guards: what a traced program asked of sizes, where, and the answer it got."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.frames import SourceLine
from .sym_bool import SymBool, negation


class Guard(NamedTuple):
    """Something that is true of all sizes that a traced program is valid for."""

    #: What is true.
    condition: SymBool
    #: The line of the program that asked.
    line: SourceLine

    @property
    def hint(self) -> str:
        """The condition with the sizes of the example."""
        env = self.condition.env
        return env.render(self.condition, {s: str(s.hint) for s in env.symbols})

    @property
    def sizes(self) -> str:
        """The condition with the sizes as the program has them: ``x.shape[0] > 3``."""
        env = self.condition.env
        return env.render(self.condition, env.sources)

    def __str__(self) -> str:
        return f"{self.condition}  ({self.sizes}), at {self.line}"


def true_of(condition: SymBool, truth: bool) -> list[SymBool]:
    """Return the conditions that are true if one has a truth value, the least each."""
    if condition.operation == "not":
        return true_of(condition.operands[0], not truth)
    if condition.operation == ("and" if truth else "or"):
        return [part for each in condition.operands for part in true_of(each, truth)]
    return [condition if truth else negation(condition)]
