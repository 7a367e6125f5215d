"""Errors of schemas, key spaces and other declarations."""

from __future__ import annotations

from typing import Any, Final

from .base import KeyslotError

#: Most characters of a text that an error shows around the place it speaks of.
_EXCERPT: Final = 100


def _excerpt(text: str, column: int) -> tuple[str, int]:
    """Return one line of text around a column, and the column's offset in that line.

    What would move the caret is shown as a space, and a long text is cut on both
    sides. Columns count from 1.
    """
    shown = "".join(char if char.isprintable() else " " for char in text)
    offset = column - 1
    first = max(0, min(offset - _EXCERPT // 2, len(shown) - _EXCERPT))
    before = "..." if first else ""
    after = "..." if first + _EXCERPT < len(shown) else ""
    line = f"{before}{shown[first : first + _EXCERPT]}{after}"
    return line, offset - first + len(before)


class SchemaError(KeyslotError, ValueError):
    """A schema string that is malformed; ``column`` counts from 1."""

    _fields = ("text", "column", "problem")
    text: str
    column: int
    problem: str

    def message(self) -> str:
        line, offset = _excerpt(self.text, self.column)
        return f"column {self.column}: {self.problem}\n    {line}\n    {' ' * offset}^"


class FormulaError(SchemaError):
    """A formula of a derivative that is malformed; ``column`` counts from 1."""


class KeySpaceError(KeyslotError, ValueError):
    """A key space that contradicts itself."""

    _fields = ("problem",)
    problem: str


class DeclarationError(KeyslotError, ValueError):
    """Declarations that cannot be used, with every problem that was found."""

    _fields = ("problems",)
    problems: tuple[Any, ...]

    def message(self) -> str:
        count = len(self.problems)
        noun = "problem" if count == 1 else "problems"
        return "\n".join([*map(str, self.problems), f"{count} {noun}."])
