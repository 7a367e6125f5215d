"""What commands print: looks on a terminal, plain columns in a pipe, or JSON.

Text may come from YAML, or from files of somebody else: what would steer a terminal is
replaced.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, cast

from .text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of text, how it looks on a terminal, and what it links to there."""

    text: str
    style: str = ""
    link: str | None = None


Shown = str | Cell


def add_json_argument(parser: Any) -> None:
    """Add ``--json``: data for programs. It may be to a group of a parser."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def print_json(data: Any) -> None:
    """Print dataclasses, named tuples and what they hold as JSON, in ASCII alone."""
    print(json.dumps(as_data(data), indent=2))


def as_data(value: Any) -> Any:
    """Return dataclasses and named tuples as dicts by field, whatever holds them."""
    if is_dataclass(value):
        return {f.name: as_data(getattr(value, f.name)) for f in fields(value)}
    fields_of: Callable[[], Any] | None = getattr(value, "_asdict", None)
    held = value if fields_of is None else fields_of()
    if isinstance(held, Mapping):
        pairs = cast("Mapping[str, Any]", held).items()
        return {key: as_data(item) for key, item in pairs}
    if isinstance(held, (list, tuple)):
        return [as_data(item) for item in cast("Sequence[Any]", held)]
    return held


def print_line(*parts: Shown, indent: int = 0) -> None:
    """Print pieces of text in one line, indented by so many columns.

    A terminal wraps it, and indents what follows likewise.
    """
    if not sys.stdout.isatty():
        print(" " * indent + "".join(_plain(part) for part in parts))
        return
    from rich.padding import Padding
    from rich.text import Text

    line = Text.assemble(*map(_rich, parts))
    padded = Padding(line, (0, 0, 0, indent), expand=False)
    _terminal().print(padded if indent else line)


def print_lines(text: str, style: str = "") -> None:
    """Print several lines as they are: a terminal may break them, but indents nothing.

    So a caret stays below what it points at.
    """
    if not sys.stdout.isatty():
        print("\n".join(map(printable, text.split("\n"))))
        return
    from rich.text import Text

    for line in text.split("\n"):
        _terminal().print(Text(printable(line), style), soft_wrap=True)


def print_table(header: Sequence[str], rows: Iterable[Sequence[Shown]]) -> None:
    """Print rows below a header, wrapped on a terminal, as they are in a pipe.

    Columns in which there is nothing are left out.
    """
    every = [[*row] for row in rows]
    used = [any(map(_plain, column)) for column in zip(*every, strict=True)]
    names, cells = [*compress(header, used)], [[*compress(row, used)] for row in every]
    if sys.stdout.isatty():
        _print_rich(names, cells)
        return
    lines = [names, *([_plain(cell) for cell in row] for row in cells)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())


def _print_rich(header: Sequence[str], rows: Iterable[Sequence[Shown]]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(_rich, row))
    _terminal().print(table)


def _terminal() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _rich(shown: Shown) -> Text:
    from rich.style import Style
    from rich.text import Text

    if isinstance(shown, str):
        return Text(_plain(shown))
    style = Style.parse(shown.style) + Style(link=shown.link)
    return Text(_plain(shown), style=style)


def _plain(shown: Shown) -> str:
    return printable(shown if isinstance(shown, str) else shown.text)
