"""A place in a file, as commands name it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """A line of a file."""

    #: The file: relative to the current folder if it lies there.
    file: str
    line: int

    @classmethod
    def at(cls, path: Path, line: int) -> Source:
        """Return the line of a file that may be named in any way."""
        path, here = path.resolve(), Path.cwd()
        inside = path.is_relative_to(here)
        return cls((path.relative_to(here) if inside else path).as_posix(), line)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def link(self) -> str:
        """The file for a terminal to open."""
        return Path(self.file).resolve().as_uri()
