"""Split the text of a schema into tokens, and walk over them.

A token is a plain ``str``. Its column is worked out only for an error message, so
that a schema without mistakes pays for one regular expression and nothing else.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from .errors import SchemaError

#: Longest text that is looked at; PyTorch's longest schema has under 500 characters.
MAX_LENGTH: Final = 65_536

#: Most characters of one token that a message shows.
LONGEST_SHOWN: Final = 40

#: The token after the last one.
END: Final = ""

# Every character that is no space belongs to some token, and no alternative looks
# further than the token it makes: splitting is linear whatever the text. A number
# takes all that could belong to one (0x1F), and a string need not be closed, so that
# the message can name the whole of what is wrong.
_TOKEN: Final = re.compile(
    r"""
      [A-Za-z_][A-Za-z0-9_]*
    | -> | :: | \.\.\.
    | -?\.?[0-9](?:[eE][-+]|[A-Za-z0-9_.])*
    | "(?:[^"\\\n]|\\.)*"?
    | '(?:[^'\\\n]|\\.)*'?
    | \S
    """,
    re.VERBOSE | re.ASCII,
)


def is_word(token: str) -> bool:
    """Whether a token is a name: ASCII letters, digits and underscores."""
    return token.isidentifier() and token.isascii()


def quoted(token: str) -> str:
    """Return a token as messages show it: quoted, and shortened when it is long."""
    if token == END:
        return "the end of the text"
    if len(token) > LONGEST_SHOWN:
        token = token[:LONGEST_SHOWN] + "..."
    if not token.isprintable():
        token = token.encode("unicode_escape").decode()
    return f'"{token}"' if "'" in token else f"'{token}'"


class Tokens:
    """The tokens of one text and the place up to which they were read."""

    __slots__ = ("_starts", "at", "items", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._starts: list[int] | None = None
        if len(text) > MAX_LENGTH:
            raise SchemaError(
                text,
                MAX_LENGTH + 1,
                f"the text has {len(text):,} characters, and a schema may have "
                f"{MAX_LENGTH:,}",
            )
        self.items: list[str] = _TOKEN.findall(text)
        self.items.append(END)

    @property
    def peek(self) -> str:
        """The token that comes next; ``END`` after the last."""
        return self.items[self.at]

    def take(self) -> str:
        """Return the next token and go past it."""
        token = self.items[self.at]
        if token:
            self.at += 1
        return token

    def accept(self, token: str) -> bool:
        """Go past the next token if it is the one named."""
        if self.items[self.at] == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str, where: str) -> None:
        """Go past the token named, or refuse whatever stands in its place."""
        if self.items[self.at] != token:
            self.unexpected(f"'{token}' {where}")
        self.at += 1

    def word(self, what: str) -> str:
        """Return the name that comes next, or refuse what is no name."""
        token = self.items[self.at]
        if not is_word(token):
            self.unexpected(what)
        self.at += 1
        return token

    def start(self, index: int) -> int:
        """Return the offset in the text at which a token starts."""
        if self._starts is None:
            self._starts = [match.start() for match in _TOKEN.finditer(self.text)]
            self._starts.append(len(self.text.rstrip()))
        return self._starts[index]

    def source(self, first: int, stop: int) -> str:
        """Return the text from one token up to, not including, another."""
        last = stop - 1
        if first == last:
            return self.items[first]
        return self.text[self.start(first) : self.start(last) + len(self.items[last])]

    def fail(self, problem: str, index: int | None = None) -> NoReturn:
        """Raise the error for a token, by default the next one."""
        column = self.start(self.at if index is None else index) + 1
        raise SchemaError(self.text, column, problem)

    def unexpected(self, expected: str) -> NoReturn:
        """Refuse the next token: say what was expected and what was found."""
        self.fail(f"expected {expected}, found {quoted(self.peek)}")
