"""Python source in pieces, each with what it is."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator
from typing import Final, NamedTuple

_KINDS: Final = {
    tokenize.STRING: "string",
    tokenize.NUMBER: "number",
    tokenize.COMMENT: "comment",
}


class Token(NamedTuple):
    """A piece of code. Text of no special kind has the kind ``""``."""

    kind: str
    text: str


def highlight(source: str) -> list[Token]:
    """Return the pieces of some source; joined they are the source without its end.

    What Python cannot read is one piece.
    """
    text = source.rstrip("\n")
    try:
        return list(_pieces(text))
    except (SyntaxError, tokenize.TokenError):
        return [Token("", text)]


def _pieces(text: str) -> Iterator[Token]:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    end = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = _kind(token)
        if kind:
            start = starts[token.start[0] - 1] + token.start[1]
            if start > end:
                yield Token("", text[end:start])
            yield Token(kind, token.string)
            end = start + len(token.string)
    if end < len(text):
        yield Token("", text[end:])


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and keyword.iskeyword(token.string):
        return "keyword"
    return _KINDS.get(token.type, "")
