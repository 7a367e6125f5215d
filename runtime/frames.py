"""The call stack: sites of registrations, chains of recursion, lines of programs."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Final, NamedTuple

#: What Python calls the file of its import system.
_IMPORT_SYSTEM: Final = "<frozen importlib._bootstrap>"
#: The frame so many calls up. Python documents it, in spite of its name.
frame_at: Final = sys._getframe  # pyright: ignore[reportPrivateUsage]


def frames() -> Iterator[FrameType]:
    """Yield the frames of the current thread from the caller's outwards."""
    frame: FrameType | None = frame_at(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_importing() -> bool:
    """Whether the current thread is within an import, whose module others wait for."""
    return any(frame.f_code.co_filename == _IMPORT_SYSTEM for frame in frames())


class SourceLine(NamedTuple):
    """A line of a program."""

    #: The file, as Python names it.
    file: str
    line: int

    @property
    def code(self) -> str:
        """The text of the line, empty where the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}"
        return f"{place}: {code}" if (code := self.code) else place


def user_line() -> SourceLine:
    """Return the line that the current thread executes in the program that uses us.

    It is that of the nearest caller outside keyslot and the functions of operators.
    """
    frame: FrameType | None = frame_at(1)
    while frame is not None:
        if not is_ours(frame):
            return SourceLine(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return SourceLine("<unknown>", 0)


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of keyslot, or code that it has generated."""
    names = frame.f_globals
    package: str | None = names.get("__package__")
    if package is None:
        # Compiled adapters are in no package.
        return frame.f_code.co_filename.startswith("<keyslot ")
    if package == "keyslot" or package.startswith("keyslot."):
        return True
    # The functions of operators of other projects: modules of nothing else have this.
    return "OpOverloadPacket" in names
