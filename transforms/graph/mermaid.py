"""Drawings as text for Mermaid, which many viewers of Markdown draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .picture import Box, Picture

#: How the box of each kind is written.
_SHAPES: Final = {
    "input": ('(["', '"])'),
    "constant": ('[("', '")]'),
    "operator": ('["', '"]'),
    "output": ('(["', '"])'),
    "more": ('["', '"]'),
}
#: What has no meaning in a label, beside letters and digits.
_PLAIN: Final = frozenset(" .,_-+=:()[]/*")


def mermaid(picture: Picture) -> str:
    """Return a drawing as a flow chart of Mermaid."""
    return "\n".join(["flowchart TD", *(f"    {line}" for line in _lines(picture))])


def _lines(picture: Picture) -> Iterator[str]:
    for number, box in enumerate(picture.boxes):
        before, after = _SHAPES[box.kind]
        yield f"n{number}{before}{_label(box)}{after}"
    for source, target in picture.arrows:
        yield f"n{source} --> n{target}"


def _label(box: Box) -> str:
    return "<br/>".join(map(_escaped, box.lines))


def _escaped(text: str) -> str:
    """Return text that Mermaid shows as it is."""
    return "".join(c if _is_plain(c) else f"#{ord(c)};" for c in text)


def _is_plain(character: str) -> bool:
    is_word = character.isascii() and character.isalnum()
    return is_word or character in _PLAIN
