"""Where nodes come from: the file and the line, worked out when somebody asks.

A tracer notes the code object and how far a frame was in it, which costs next to
nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import PurePath
from types import CodeType
from typing import TYPE_CHECKING, Final

from ...runtime.frames import SourceLine

if TYPE_CHECKING:
    from .node import RawSource

#: Longer lines of a program are cut off in comments.
_LONGEST: Final = 60


class SourceLines:
    """Finds lines, and remembers the line tables of the code that it has met."""

    def __init__(self) -> None:
        # By identity: equal code may come from two files. The code is kept with it, so
        # that no other one takes its place in memory.
        self._tables: Final[dict[int, tuple[CodeType, _Table]]] = {}
        self._texts: Final[dict[SourceLine, str]] = {}

    def text(self, source: RawSource | None) -> str:
        """Return the line of a node's source as comments show it; empty for None."""
        line = self.find(source)
        if line is None:
            return ""
        text = self._texts.get(line)
        if text is None:
            text = self._texts[line] = _shown(line)
        return text

    def find(self, source: RawSource | None) -> SourceLine | None:
        """Return the line of a node's source, None for None."""
        if source is None:
            return None
        code, place = source
        if id(code) not in self._tables:
            self._tables[id(code)] = code, _table(code)
        _, (starts, lines) = self._tables[id(code)]
        at = bisect_right(starts, place) - 1
        line = lines[at] if at >= 0 else None
        return SourceLine(code.co_filename, line or code.co_firstlineno)


def _shown(line: SourceLine) -> str:
    """Return a line without the folders of its file, cut off where it is long."""
    code = line.code
    rest = f": {code[:_LONGEST]}" if code else ""
    return f"{PurePath(line.file).name}:{line.line}{rest}"


#: Where instructions of another line begin, and which line that is.
_Table = tuple[list[int], list[int | None]]


def _table(code: CodeType) -> _Table:
    rows = [(start, line) for start, _, line in code.co_lines()]
    return [start for start, _ in rows], [line for _, line in rows]
