"""Defaults: the text after ``=``, and the Python value that it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from .schema_lexer import Tokens, is_word, quoted


class Word(str):
    """A default written without quotes, such as ``Mean`` or ``contiguous_format``."""

    __slots__ = ()


#: The value of a default; a bare word is a ``Word``, which is a ``str``.
Default: TypeAlias = "bool | int | float | complex | str | list[Default] | None"

#: The words that ints may have for a default, and what they stand for: the members of
#: PyTorch's enum ``at::Reduction``.
WORDS_FOR_INTS: Final = {"Mean": 1}

#: Deepest nesting of a type, and so of a default; PyTorch's schemas reach three.
MAX_NESTING: Final = 8

_NAMED: Final[dict[str, bool | None]] = {"None": None, "True": True, "False": False}
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT: Final = re.compile(
    r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(j?)", re.ASCII
)
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {
    "\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "r": "\r", "f": "\f",
    "v": "\v", "a": "\a", "b": "\b",
}  # fmt: skip
_NUMBER_START: Final = re.compile(r"-?\.?[0-9]", re.ASCII)
_INT64: Final = 2**63


def read_literal(text: str) -> Default:
    """Return the value of the text of a default.

    Raises SchemaError unless the text is one whole default.
    """
    if text in _NAMED:
        return _NAMED[text]
    tokens = Tokens(text)
    value = take_literal(tokens)
    if tokens.peek:
        tokens.unexpected("one default")
    return value


def take_literal(tokens: Tokens, depth: int = 0) -> Default:
    """Read ``None``, a number, a quoted text, a word or a list of these."""
    token = tokens.peek
    if token == "[":
        if depth == MAX_NESTING:
            tokens.fail(f"lists may be nested {MAX_NESTING} deep, not deeper")
        items: list[Default] = []
        take_list(tokens, lambda: items.append(take_literal(tokens, depth + 1)))
        return items
    if is_word(token):
        tokens.at += 1
        return _NAMED[token] if token in _NAMED else Word(token)
    if token[:1] in ("'", '"'):
        value: Default = _string(tokens, token)
    elif _NUMBER_START.match(token):
        value = _number(tokens, token)
    else:
        tokens.unexpected("a value such as 1, 0.5, True, None, 'text' or [0, 1]")
    tokens.at += 1
    return value


def take_list(tokens: Tokens, take_item: Callable[[], None]) -> int:
    """Read a list in square brackets, item by item; return how many there are."""
    tokens.expect("[", "to start a list")
    if tokens.accept("]"):
        return 0
    count = 0
    while True:
        take_item()
        count += 1
        if not tokens.accept(","):
            break
        if tokens.peek == "]":
            tokens.fail("a ',' with no item after it: take it away", tokens.at - 1)
    tokens.expect("]", "or ',' after an item of a list")
    return count


def _number(tokens: Tokens, token: str) -> int | float | complex:
    if _INTEGER.fullmatch(token):
        # Python refuses to convert thousands of digits, and PyTorch has 64 bits.
        if len(token) > 20 or not -_INT64 <= int(token) < _INT64:
            tokens.fail(f"{quoted(token)} does not fit into 64 bits")
        return int(token)
    match = _FLOAT.fullmatch(token)
    if match is None:
        tokens.fail(f"{quoted(token)} is no number: write 7, -7, 0.5, 1e-05 or 2j")
    if token.lstrip("-").isdigit():
        tokens.fail(f"{quoted(token)} starts with a zero: write it without")
    value = float(token.removesuffix("j"))
    if value in (float("inf"), float("-inf")):
        tokens.fail(f"{quoted(token)} is too large for a float")
    return complex(0, value) if match[1] else value


def _string(tokens: Tokens, token: str) -> str:
    quote = token[0]
    body = token[1:-1]
    if len(token) == 1 or token[-1] != quote or _ends_in_escape(body):
        tokens.fail(f"this text is never closed: put {quote} at its end")
    if "\\" not in body:
        return body
    for match in _ESCAPE.finditer(body):
        if match[1] not in _ESCAPES:
            tokens.fail(f"{quoted(match[0])} is no escape: write \\\\ for a backslash")
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], body)


def _ends_in_escape(body: str) -> bool:
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1
