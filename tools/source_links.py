"""Links from pages to the source of a project."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ..codegen.model import KernelReference
from ..codegen.problems import Located
from .kernel_sources import find_kernel


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A line of a file of the project, and the address of it if there is one."""

    text: str
    href: str | None


@dataclass(frozen=True, slots=True)
class SourceLinks:
    """Makes links to files of a project."""

    root: Path
    #: The folder of the pages that have the links.
    pages: Path
    #: What the addresses begin with; None for paths from page to file.
    base: str | None

    def to_kernel(self, kernel: KernelReference) -> SourceLink | None:
        """Return the link to a kernel of the project, None for those of others."""
        place = find_kernel(kernel)
        return None if place is None else self._link(place.file, place.line)

    def to_declaration(self, place: Located) -> SourceLink:
        """Return the link to a place in a schema file."""
        name = place.source.file
        found = self._link(self.root / name, place.line)
        return found or SourceLink(f"{Path(name).name}:{place.line}", None)

    def _link(self, file: Path, line: int) -> SourceLink | None:
        root, path = self.root.resolve(), file.resolve()
        if not path.is_relative_to(root):
            return None
        name = path.relative_to(root).as_posix()
        text = f"{name}:{line}"
        if self.base is not None:
            return SourceLink(text, f"{self.base}/{quote(name)}#L{line}")
        pages = self.pages.resolve()
        if not pages.is_relative_to(root):
            # The way there would go through folders of this machine.
            return SourceLink(text, None)
        way = Path(os.path.relpath(path, pages)).as_posix()
        return SourceLink(text, quote(way))
