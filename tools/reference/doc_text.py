"""The text of ``doc``: paragraphs with code in backticks, lists, and examples."""

from __future__ import annotations

import doctest
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..text import Code, Line
from .highlight import Token, highlight

_PARSER = doctest.DocTestParser()
#: The line that examples stand below; they can be told without it.
_HEADING = re.compile(r"Examples?::?")
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text that stands by itself."""

    kind: Literal["paragraph", "list", "code", "example"]
    #: The one line of a paragraph, the items of a list.
    lines: tuple[Line, ...] = ()
    #: Code, or what is typed and printed in an example.
    tokens: tuple[Token, ...] = ()


def read_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text. One with a malformed example is shown as it is."""
    session: list[Token] = []
    for part in _parse(textwrap.dedent(text).strip()):
        if isinstance(part, doctest.Example):
            session += _session(part)
        elif part.strip():
            yield from _flush(session)
            yield from _blocks(part)
    yield from _flush(session)


def _parse(text: str) -> Sequence[str | doctest.Example]:
    try:
        return _PARSER.parse(text)
    except ValueError:
        return [textwrap.indent(text, "    ")]


def summary(text: str) -> Line:
    """Return the first paragraph of a text."""
    first = re.split(r"\n\s*\n", textwrap.dedent(text).strip())[0]
    return read_line(first)


def read_line(text: str) -> Line:
    """Return words and the code among them."""
    pieces: list[str] = []
    end = 0
    for match in _CODE.finditer(text):
        pieces += [text[end : match.start()], Code(_unwrapped(match[2].strip()))]
        end = match.end()
    pieces.append(text[end:])
    words = (p if isinstance(p, Code) else _unwrapped(p) for p in pieces)
    return tuple(piece for piece in words if piece)


def _unwrapped(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def _flush(session: list[Token]) -> Iterator[Block]:
    if session:
        yield Block("example", tokens=tuple(session))
        session.clear()


def _session(example: doctest.Example) -> Iterator[Token]:
    """Yield the tokens of an example as a terminal would show it."""
    tokens = highlight(example.source)
    yield Token("prompt", ">>> ")
    for token in tokens:
        for place, text in enumerate(token.text.split("\n")):
            if place:
                yield Token("", "\n")
                yield Token("prompt", "... ")
            if text:
                yield Token(token.kind, text)
    yield Token("", "\n")
    if example.want:
        yield Token("output", example.want)


def _blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text without examples."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [
            line for line in part.split("\n") if not _HEADING.fullmatch(line.strip())
        ]
        if not "".join(lines).strip():
            continue
        if all(line.startswith("    ") for line in lines):
            code = textwrap.dedent("\n".join(lines))
            yield Block("code", tokens=(Token("", code),))
        elif re.match(r"\s*[-*] ", lines[0]):
            items = re.split(r"^\s*[-*] ", "\n".join(lines), flags=re.MULTILINE)[1:]
            yield Block("list", tuple(read_line(item.strip()) for item in items))
        else:
            yield Block("paragraph", (read_line("\n".join(lines).strip()),))
