"""Lines of reports: words, and among them names and code that stand for themselves.

What a report says is made once, as lines; Markdown, plain text and a terminal each
write them in their own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias


class Code(str):
    """A piece of code: a name, a schema, a kernel."""

    __slots__ = ()


#: Pieces of one line. Those that are ``Code`` are set apart from the words.
Line: TypeAlias = tuple[str, ...]


def joined(parts: Iterable[Line], separator: str = ", ") -> Line:
    """Return several lines as one, with a separator between them."""
    return tuple(_between(parts, separator))


def codes(names: Iterable[str]) -> Line:
    """Return names with commas between them."""
    return joined((Code(name),) for name in names)


def plain(line: Line) -> str:
    """Return a line as plain text."""
    return "".join(map(printable, line))


def markdown(line: Line) -> str:
    """Return a line as Markdown in which code stays what it is."""
    return "".join(map(_markdown, line))


def printable(text: str) -> str:
    """Replace what would reach a terminal as a control sequence, or break the line."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _between(parts: Iterable[Line], separator: str) -> Iterator[str]:
    for place, part in enumerate(parts):
        if place:
            yield separator
        yield from part


def _markdown(piece: str) -> str:
    text = printable(piece)
    if not isinstance(piece, Code):
        return re.sub(r"([\\`*_<>&\[\]#])", r"\\\1", text)
    # A longer fence than any run of backticks inside.
    fence = "`" * (1 + max(map(len, re.findall(r"`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"
