"""Values as Python source, written as black writes them.

Whatever comes from YAML gets into generated code through these functions, and can only
be a literal there: text is quoted and escaped, unprintable characters included.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..runtime.schema import Default


def literal(value: Default | tuple[Default, ...]) -> str:
    """Return the source of a default. Lists become tuples, which nobody can change."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, (list, tuple)):
        return tuple_of(map(literal, value))
    return repr(value)


def string(text: str) -> str:
    """Return the source of a string, in the quotes that need fewer escapes."""
    quote = '"' if text.count('"') <= text.count("'") else "'"
    escaped = "".join(_escape(char) for char in text)
    return quote + escaped.replace(quote, f"\\{quote}") + quote


def one_line(text: str) -> str:
    """Return text for a comment: whatever could end the line is escaped."""
    return "".join(map(_escape, text)).strip()


def tuple_of(items: Iterable[str]) -> str:
    """Return the source of a tuple of sources."""
    found = tuple(items)
    return f"({found[0]},)" if len(found) == 1 else f"({', '.join(found)})"


def docstring(*parts: str) -> str:
    """Return the source of a docstring; parts stand apart by a blank line.

    Lines after the first are not indented.
    """
    text = "\n\n".join(filter(None, map(_clean, parts)))
    lines = [line.rstrip() for line in text.split("\n")]
    raw = "\n".join(lines)
    escaped = "\n".join("".join(map(_escape, line)) for line in lines)
    escaped = escaped.replace('"""', '\\"\\"\\"')
    # A raw docstring shows backslashes as they are, unless there are other escapes too.
    is_raw = escaped == raw.replace("\\", "\\\\") != raw and not raw.endswith("\\")
    prefix, body = ("r", raw) if is_raw else ("", escaped)
    if body.startswith('"'):
        body = f" {body}"
    if len(lines) > 1:
        return f'{prefix}"""{body}\n"""'
    end = " " if body.endswith('"') else ""
    return f'{prefix}"""{body}{end}"""'


def _clean(text: str) -> str:
    return textwrap.dedent(text).strip()


def _escape(char: str) -> str:
    if char == "\\":
        return "\\\\"
    return char if char.isprintable() else repr(char)[1:-1]
