"""Reports: sections of items, written as Markdown, as plain text, or on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .text import Code, Line, markdown, plain


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


def write_text(report: Report) -> str:
    """Return a report as plain text. Lines are as long as they are."""
    return "\n".join("  " * depth + plain(line) for depth, line in _lines(report))


def print_report(report: Report) -> None:
    """Print a report on a terminal: wrapped, code in colour."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for depth, line in _lines(report):
        text = Text(style="bold" if depth == 0 else "")
        for piece in line:
            text.append(plain((piece,)), "cyan" if isinstance(piece, Code) else "")
        console.print(Padding(text, (0, 0, 0, 2 * depth)))


def _lines(report: Report) -> Iterator[tuple[int, Line]]:
    """Yield the lines of a report with how far each is indented."""
    yield 0, report.title
    yield from ((1, line) for line in report.summary)
    for section in report.sections:
        yield 0, (section.title,)
        for item in section.items:
            yield 1, item.line
            yield from ((2, detail) for detail in item.details)
