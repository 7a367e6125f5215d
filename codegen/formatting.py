"""Bring rendered text into the form that black gives it.

Templates write lines as black writes them as long as these fit, so black gets only the
statements that do not, each distinct one once. This makes a large library several times
faster to generate; tests run black over whole outputs and find nothing to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from .layout import lay_out

WIDTH: Final = 88
_QUOTES: Final = '"""'


def tidy(text: str) -> str:
    """Return the text with every line too long split as black splits it."""
    lines = text.split("\n")
    if all(len(line) <= WIDTH for line in lines):
        return text
    try:
        return "\n".join(_tidy_lines(lines))
    except _NotAStatementError:
        # A line that is no statement by itself: black gets the whole.
        return tidy_all(text)


def tidy_all(text: str) -> str:
    """Return the text as black formats it, all of it."""
    return _black(text, WIDTH)


def _tidy_lines(lines: Iterable[str]) -> Iterator[str]:
    in_docstring = False
    for line in lines:
        if _QUOTES in line:
            in_docstring = in_docstring != (line.count(_QUOTES) == 1)
            yield line
        elif in_docstring or len(line) <= WIDTH:
            yield line
        else:
            yield from _tidy_line(line)


def _tidy_line(line: str) -> Iterator[str]:
    statement = line.lstrip(" ")
    if statement.startswith("#"):
        yield line
        return
    margin = line[: -len(statement)]
    width = WIDTH - len(margin)
    for part in lay_out(statement, width) or _split(statement, width):
        yield margin + part if part else part


@cache
def _split(statement: str, width: int) -> tuple[str, ...]:
    if not statement.endswith(":"):
        return tuple(_black(statement, width).rstrip("\n").split("\n"))
    # The head of a compound statement is none by itself.
    whole = _black(f"{statement}\n    pass\n", width).rstrip("\n").split("\n")
    return tuple(whole[:-1])


def _black(text: str, width: int) -> str:
    # It takes longer to import than a small change takes to generate.
    from black import Mode, format_str
    from black.mode import TargetVersion
    from black.parsing import InvalidInput

    mode = Mode(target_versions={TargetVersion.PY311}, line_length=width)
    try:
        return format_str(text, mode=mode)
    except InvalidInput as error:
        raise _NotAStatementError(text) from error


class _NotAStatementError(Exception):
    """A line that has to be formatted together with others."""
