"""YAML text to nodes that know their place.

The text is untrusted: parsed into events by PyYAML's safe parser and built into three
kinds of plain nodes here, so no tag is ever acted upon. Anchors and aliases are
refused, size, number and nesting are bounded, keys are strings and occur once.

Scalars keep their text: a reader that knows what it wants asks for it with a function
of ``expect.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import yaml

from .problems import Problems, Source, where

MAX_SIZE: Final = 16_000_000
MAX_NESTING: Final = 30
#: The declarations of all of PyTorch's operators have 25,000.
MAX_NODES: Final = 500_000
#: As many characters as a schema may have.
MAX_TEXT: Final = 65_536

NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_NOT_A_STRING: Final = re.compile(r"~|null|true|false|[-+.]?\d[\d_.]*|", re.I).fullmatch

_QUOTE_COLON: Final = "; quote a text that has ': ' in it"
#: What to write instead, by what a parser says, where that is the same nearly always.
_INSTEAD: Final = {
    "mapping values are not allowed in this context": _QUOTE_COLON,
    "mapping values are not allowed here": _QUOTE_COLON,
    "found character that cannot start any token": "; quote a text that begins with it",
    "found a tab character that violates indentation": "; indent with spaces",
}

# libyaml's parser is about ten times faster; both give the same events.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Scalar:
    """A single value, kept as text. ``plain`` tells that it was not quoted."""

    __slots__ = ("source", "line", "column", "text", "plain")
    kind: Final = "text"

    def __init__(
        self, source: Source, line: int, column: int, text: str, plain: bool
    ) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.text = text
        self.plain = plain

    @property
    def is_null(self) -> bool:
        """Whether it is nothing, ``~`` or ``null``."""
        return self.plain and self.text in NULLS

    def column_of(self, offset: int) -> int:
        """Return the column of a character of the text.

        Falls back to where the scalar begins if the text is not on that line as it
        is: when folded over lines, or written with escapes.
        """
        line = self.source.line(self.line)
        start = self.column if self.plain else self.column + 1
        return start + offset if line.startswith(self.text, start - 1) else self.column


class List:
    """A sequence."""

    __slots__ = ("source", "line", "column", "items")
    kind: Final = "a list"

    def __init__(
        self, source: Source, line: int, column: int, items: list[Node]
    ) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.items = items


class Map:
    """A mapping: the nodes of its keys in ``keys``, of its values in ``entries``."""

    __slots__ = ("source", "line", "column", "keys", "entries")
    kind: Final = "a mapping"

    def __init__(self, source: Source, line: int, column: int) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.keys: dict[str, Scalar] = {}
        self.entries: dict[str, Node] = {}


Node: TypeAlias = Scalar | List | Map


def read_yaml(path: Path, file: str, problems: Problems) -> Node | None:
    """Read a file to nodes; ``file`` is its name in messages.

    Returns None, with the reason added to ``problems``, for what is not YAML at all.
    """
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_SIZE + 1).decode()
    except OSError as error:
        problems.add_file(file, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        problems.add_file(file, f"is not UTF-8 text: byte {error.start} is wrong")
    else:
        # Editors on Windows like to begin a file with a mark.
        return parse_yaml(text.removeprefix("\ufeff"), file, problems)
    return None


def parse_yaml(text: str, file: str, problems: Problems) -> Node | None:
    """Parse YAML text to nodes; ``file`` is its name in messages.

    Doubled keys and keys that are not strings are reported and left out of the
    nodes, so that a reader goes on to find what else is wrong.
    """
    if len(text) > MAX_SIZE:
        problems.add_file(file, f"is larger than {MAX_SIZE // 1_000_000} MB")
        return None
    source = Source(file, text)
    try:
        return _Composer(source, problems).document()
    except yaml.MarkedYAMLError as error:
        _report_syntax(source, error, problems)
    except yaml.reader.ReaderError as error:
        _report_character(source, text.find(chr(int(error.character))), problems)
    except UnicodeEncodeError as error:
        _report_character(source, error.start, problems)
    except _GaveUp:
        pass
    return None


class _GaveUp(Exception):
    """The rest of a document is not worth reading; the reason is among the problems."""


class _Composer:
    """Builds the nodes of one document from the events of the parser."""

    __slots__ = ("source", "problems", "events", "refused", "count")

    def __init__(self, source: Source, problems: Problems) -> None:
        self.source = source
        self.problems = problems
        self.events: Iterator[yaml.Event] = yaml.parse(source.text, Loader=_Loader)
        self.refused = False
        self.count = 0

    def document(self) -> Node | None:
        next(self.events)  # the start of the stream
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return Scalar(self.source, 1, 1, "", plain=True)
        root = self.node(next(self.events), 0)
        next(self.events)  # the end of the document
        event = next(self.events)
        if isinstance(event, yaml.DocumentStartEvent):
            self.refuse(event, "a second document begins here; a file holds one")
        return None if self.refused else root

    def node(self, event: yaml.Event, depth: int) -> Node:
        line, column = _place(event)
        self.count += 1
        if self.count > MAX_NODES:
            self.refuse(event, f"a file has at most {MAX_NODES:,} values")
            raise _GaveUp
        if isinstance(event, yaml.AliasEvent):
            self.refuse(event, f"aliases are not allowed: write out {event.anchor!r}")
            return Scalar(self.source, line, column, "", plain=True)
        if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)):
            self.check(event)
        if isinstance(event, yaml.ScalarEvent):
            plain, _ = event.implicit
            if len(event.value) > MAX_TEXT:
                self.refuse(event, f"a text has at most {MAX_TEXT:,} characters")
            return Scalar(self.source, line, column, event.value, plain)
        if depth == MAX_NESTING:
            self.refuse(event, f"nested more than {MAX_NESTING} deep")
            raise _GaveUp
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
                items.append(self.node(event, depth + 1))
            return List(self.source, line, column, items)
        return self.map(Map(self.source, line, column), depth + 1)

    def map(self, made: Map, depth: int) -> Map:
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, depth)
            value = self.node(next(self.events), depth)
            if not isinstance(key, Scalar):
                self.problems.add(key, f"a key must be a string, not {key.kind}")
            elif key.plain and _NOT_A_STRING(key.text):
                message = f"a key must be a string: quote {key.text!r} if it is meant"
                self.problems.add(key, message)
            elif (first := made.keys.get(key.text)) is not None:
                message = f"{key.text!r} occurs twice, first at {where(first)}"
                self.problems.add(key, message)
            else:
                made.keys[key.text] = key
                made.entries[key.text] = value
        return made

    def check(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        if event.anchor is not None:
            self.refuse(event, f"anchors are not allowed: take out '&{event.anchor}'")
        if event.tag is not None:
            self.refuse(event, f"tags are not allowed: take out {event.tag!r}")

    def refuse(self, event: yaml.Event, message: str) -> None:
        self.problems.add_line(self.source, *_place(event), message)
        self.refused = True


def _place(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    # Events that a parser made have a mark; PyYAML allows none for those of an emitter.
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _report_syntax(
    source: Source, error: yaml.MarkedYAMLError, problems: Problems
) -> None:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = source.text.splitlines() or [""]
    if line > len(lines):  # what is missing at the end: show the last line
        line, column = len(lines), len(lines[-1]) + 1
    instead = _INSTEAD.get(error.problem or "", "")
    problems.add_line(source, line, column, f"not YAML: {error.problem}{instead}")


def _report_character(source: Source, position: int, problems: Problems) -> None:
    before = source.text[:position].splitlines(keepends=True)
    code = f"U+{ord(source.text[position]):04X}"
    line = len(before) or 1
    column = len(before[-1]) + 1 if before else 1
    problems.add_line(source, line, column, f"the character {code} is not allowed")
