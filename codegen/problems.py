"""Problems of declarations, collected first and reported together.

Every reader and every check adds what it finds to one ``Problems``. Nothing is raised
before all files have been read, so one run shows everything there is to mend. The
text looks like a compiler's:

    schemas/keys.yaml:7:5: unknown backend 'Numpy'. Did you mean NumPy?
        - Numpy
          ^
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Protocol

from ..runtime.errors import DeclarationError
from ..runtime.nearest import nearest

# A longer line is shown as a window around the caret.
WIDTH: Final = 100
SHORT_LIST: Final = 24
#: Nobody mends more at once; and whoever means ill writes a million of them.
MAX_PROBLEMS: Final = 1000


class Source:
    """A file that was read: the name to show for it, and its text."""

    __slots__ = ("file", "text", "_lines")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._lines: list[str] | None = None

    def line(self, number: int) -> str:
        """Return the text of a line, counted from 1; empty beyond the end."""
        if self._lines is None:
            self._lines = self.text.splitlines()
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""


class Located(Protocol):
    """Anything with a place in a source: a node."""

    @property
    def source(self) -> Source:
        """The file that holds it."""
        ...

    @property
    def line(self) -> int:
        """Its line, counted from 1."""
        ...

    @property
    def column(self) -> int:
        """Its column, counted from 1."""
        ...


class Problem(NamedTuple):
    """One mistake in a declaration.

    ``line`` and ``column`` count from 1. Line 0 means the file as a whole.
    """

    file: str
    line: int
    column: int
    text_line: str
    message: str
    #: The rule that a warning comes from, as `keyslot check` names it.
    rule: str = ""

    def __str__(self) -> str:
        if self.line == 0:
            return f"{self.file}: {self.message}"
        said = f"{self.file}:{self.line}:{self.column}: {self.message}"
        if not self.text_line.strip():
            return said
        text, indent = _window(self.text_line, self.column)
        return f"{said}\n    {text}\n    {indent}^"


class Problems:
    """The problems found so far; false while there are none.

    Adding one more than ``limit`` raises DeclarationError with those that there are.
    """

    __slots__ = ("_found", "_limit")

    def __init__(self, limit: int | None = MAX_PROBLEMS) -> None:
        # A dict because several checks may find the same problem.
        self._found: dict[Problem, None] = {}
        self._limit = limit

    def add(self, place: Located, message: str, column: int | None = None) -> None:
        """Add a problem at a node, or at another ``column`` of the node's line."""
        self.add_line(place.source, place.line, column or place.column, message)

    def add_warning(self, place: Located, message: str, rule: str) -> None:
        """Add what a rule warns of at a node."""
        self._found[problem_at(place, message, rule)] = None

    def add_line(self, source: Source, line: int, column: int, message: str) -> None:
        """Add a problem at a line and column, both counted from 1."""
        text = source.line(line)
        self._add(Problem(source.file, line, column, text, message))

    def add_file(self, file: str, message: str) -> None:
        """Add a problem of a file as a whole."""
        self._add(Problem(file, 0, 0, "", message))

    def _add(self, problem: Problem) -> None:
        if len(self._found) == self._limit and problem not in self._found:
            message = f"has more problems than the {self._limit:,} that are shown"
            raise DeclarationError((*self, Problem(problem.file, 0, 0, "", message)))
        self._found[problem] = None

    def raise_any(self) -> None:
        """Raise DeclarationError with all problems, if there are any."""
        if self._found:
            raise DeclarationError(tuple(self))

    def __iter__(self) -> Iterator[Problem]:
        return iter(sorted(self._found))

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def problem_at(place: Located, message: str, rule: str) -> Problem:
    """Return what a rule has found at a node."""
    line, column = place.line, place.column
    text = place.source.line(line)
    return Problem(place.source.file, line, column, text, message, rule)


def where(place: Located) -> str:
    """Return ``file:line:column``, for messages that name a second place."""
    return f"{place.source.file}:{place.line}:{place.column}"


def unknown(what: str, name: str, allowed: Iterable[str]) -> str:
    """Return the message for a name that is not among the allowed ones.

    It suggests the nearest names. Short lists are shown in full where nothing is near.
    """
    known = tuple(allowed)
    hint = nearest(name, known)
    if not known:
        hint = " There are none."
    elif not hint and len(known) <= SHORT_LIST:
        hint = f" Allowed: {', '.join(known)}."
    return f"unknown {what} {name!r}.{hint}"


def _window(text: str, column: int) -> tuple[str, str]:
    """Return the part of a line to show, and what to print before the caret."""
    start = max(0, column - WIDTH // 2) if len(text) > WIDTH else 0
    shown = text[start : start + WIDTH]
    # Text from a file must not reach a terminal's control sequences.
    shown = "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in shown)
    before = shown[: column - 1 - start]
    # Tabs stay tabs, so that the caret stands below its character.
    indent = "".join("\t" if char == "\t" else " " for char in before)
    return shown, indent
