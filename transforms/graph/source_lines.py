"""Where nodes come from: the file and the line, worked out when somebody asks.

A tracer notes the code object and how far a frame was in it, which costs next to
nothing.
"""

from __future__ import annotations

import linecache
from bisect import bisect_right
from pathlib import PurePath
from types import CodeType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from .node import RawSource


class SourceLine(NamedTuple):
    """A line of a program."""

    file: str
    #: None where the code has no lines.
    line: int | None

    @property
    def code(self) -> str:
        """The text of the line; empty where the file cannot be read."""
        return linecache.getline(self.file, self.line or 0).strip()

    def __str__(self) -> str:
        """Return the name of the file without its folders, and the line."""
        name = PurePath(self.file).name
        return name if self.line is None else f"{name}:{self.line}"


class SourceLines:
    """Finds lines, and remembers the line tables of the code that it has met."""

    def __init__(self) -> None:
        # By identity: equal code may come from two files. The code is kept with it, so
        # that no other one takes its place in memory.
        self._tables: Final[dict[int, tuple[CodeType, _Table]]] = {}

    def find(self, source: RawSource | None) -> SourceLine | None:
        """Return the line of a node's source, None for None."""
        if source is None:
            return None
        code, place = source
        if id(code) not in self._tables:
            self._tables[id(code)] = code, _table(code)
        _, (starts, lines) = self._tables[id(code)]
        at = bisect_right(starts, place) - 1
        return SourceLine(code.co_filename, lines[at] if at >= 0 else None)


#: Where instructions of another line begin, and which line that is.
_Table = tuple[list[int], list[int | None]]


def _table(code: CodeType) -> _Table:
    rows = [(start, line) for start, _, line in code.co_lines()]
    return [start for start, _ in rows], [line for _, line in rows]
