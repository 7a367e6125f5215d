"""Links from pages to the source of a project."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from .source import Source


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A line of a file, and the address of it if there is one."""

    text: str
    href: str | None


@dataclass(frozen=True, slots=True)
class LinkedKernel:
    """A kernel of an overload, as pages show it."""

    #: The key or alias key it is registered at.
    key: str
    name: str
    source: SourceLink | None


@dataclass(frozen=True, slots=True)
class SourceLinks:
    """Makes links to files of a project."""

    root: Path
    #: The folder of the pages that have the links.
    pages: Path
    #: What the addresses begin with; None for paths from page to file.
    base: str | None

    def to_source(self, source: Source | None) -> SourceLink | None:
        """Return the link to a file of the project, None for those of others."""
        root = self.root.resolve()
        path = None if source is None else Path(source.file).resolve()
        if source is None or path is None or not path.is_relative_to(root):
            return None
        name = path.relative_to(root).as_posix()
        return SourceLink(f"{name}:{source.line}", self._address(path, source.line))

    def _address(self, path: Path, line: int) -> str | None:
        root, pages = self.root.resolve(), self.pages.resolve()
        if self.base is not None:
            name = path.relative_to(root).as_posix()
            return f"{self.base}/{quote(name)}#L{line}"
        if not pages.is_relative_to(root):
            # The way there would go through folders of this machine.
            return None
        return quote(Path(os.path.relpath(path, pages)).as_posix())
