"""Reports: sections of items, printed as text, or written as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..console import Cell, print_line
from ..text import Code, Line, markdown


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a section, and what there is to say about it."""

    line: Line
    details: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Items under a title."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: its title, what comes of it, and the sections."""

    title: Line
    summary: tuple[Line, ...]
    sections: tuple[Section, ...]


def write_markdown(report: Report) -> str:
    """Return a report as Markdown, for a comment on a change."""
    parts = [f"### {markdown(report.title)}", *map(markdown, report.summary)]
    for section in report.sections:
        parts.append(f"#### {section.title}")
        parts.append("\n".join(_bullets(section)))
    return "\n\n".join(parts)


def _bullets(section: Section) -> Iterator[str]:
    for item in section.items:
        yield f"- {markdown(item.line)}"
        yield from (f"  - {markdown(detail)}" for detail in item.details)


def print_report(report: Report) -> None:
    """Print a report as text, on a terminal with code in colour."""
    for depth, line in _lines(report):
        style = "" if depth else "bold "
        print_line(*(_piece(piece, style) for piece in line), indent=2 * depth)


def _piece(piece: str, style: str) -> Cell:
    return Cell(piece, f"{style}cyan" if isinstance(piece, Code) else style)


def _lines(report: Report) -> Iterator[tuple[int, Line]]:
    """Yield the lines of a report with how far each is indented."""
    yield 0, report.title
    yield from ((1, line) for line in report.summary)
    for section in report.sections:
        yield 0, (section.title,)
        for item in section.items:
            yield 1, item.line
            yield from ((2, detail) for detail in item.details)
