"""What commands print: looks on a terminal, plain columns in a pipe, or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from ..codegen.requirements import BAD_INPUT
from ..runtime.errors import KeyslotError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

DONE: Final = 0
FINDING: Final = 1


class InputError(Exception):
    """What somebody typed means nothing; the message says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of text, how it looks on a terminal, and what it links to there."""

    text: str
    style: str = ""
    link: str | None = None


Shown = str | Cell


def report_errors(command: Callable[[], int]) -> int:
    """Run a command; say on standard error what is wrong with its input, if anything.

    Returns how the process ends.
    """
    try:
        return command()
    except (InputError, KeyslotError, ImportError) as error:
        message = str(error)
    except OSError as error:
        message = f"{error.filename}: {error.strerror}"
    print(message, file=sys.stderr)
    return BAD_INPUT


def print_json(data: Any) -> None:
    """Print dataclasses, named tuples and what they hold as JSON."""
    print(json.dumps(as_data(data), indent=2, ensure_ascii=False))


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


def print_line(*parts: Shown) -> None:
    """Print pieces of text in one line."""
    if not sys.stdout.isatty():
        print("".join(_plain(part) for part in parts))
        return
    from rich.text import Text

    _terminal().print(Text.assemble(*map(_rich, parts)))


def print_table(header: Sequence[str], rows: Iterable[Sequence[Shown]]) -> None:
    """Print rows below a header, wrapped on a terminal, as they are in a pipe."""
    if sys.stdout.isatty():
        _print_rich(header, rows)
        return
    lines = [header, *([_plain(cell) for cell in row] for row in rows)]
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
    """Return the text without what would steer a terminal: it may come from YAML."""
    text = shown if isinstance(shown, str) else shown.text
    return "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
    )
