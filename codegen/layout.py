"""Split statements that do not fit on a line, the way black splits them.

This knows the few forms that templates write: definitions, calls, lookups and displays.
Of whatever else, and wherever black would have to weigh one split against another, it
says that it does not know, and black itself is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_INDENT: Final = "    "
_TOKENS: Final = re.compile(r"""["(\[{}\])',]""")
_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_STRINGS: Final = {
    '"': re.compile(_STRING),
    "'": re.compile(_STRING.replace('"', "'")),
}
_ATOM: Final = re.compile(rf"[\w.]+|{_STRING}")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_HEAD: Final = re.compile(r"[\w.]*")
_LEAD: Final = re.compile(r"return |(?:\w+ = )")
_ROW: Final = re.compile(rf"({_STRING}: )(.+),")
_IMPORT: Final = re.compile(r"(from [\w.]+ import )([\w ]+)")
_DEFINITION: Final = re.compile(r"(def \w+\()(.*)(\) -> [\w\[\], |]+:(?: \.\.\.)?)")
_LOOKUP: Final = re.compile(r"\[type\(\w+\)\]")
_LOOKUPS: Final = re.compile(rf"(\w+ = \w+)((?:{_LOOKUP.pattern})+)")


class _Unsure(Exception):
    """Black has to decide."""


def lay_out(statement: str, width: int) -> tuple[str, ...] | None:
    """Return the lines of a statement that is too long; None if black must decide."""
    try:
        return tuple(_statement(statement, width))
    except _Unsure:
        return None


def _statement(statement: str, width: int) -> Iterator[str]:
    row = _ROW.fullmatch(statement)
    if row is not None:
        return _row(row[1], row[2], width)
    imported = _IMPORT.fullmatch(statement)
    if imported is not None:
        return iter((f"{imported[1]}(", f"{_INDENT}{imported[2]},", ")"))
    definition = _DEFINITION.fullmatch(statement)
    if definition is not None:
        opening, parameters, closing = definition.groups()
        return _bracketed(opening, parameters, closing, width, explode=False)
    lookups = _LOOKUPS.fullmatch(statement)
    if lookups is not None:
        return iter(_lookups(lookups[1], _LOOKUP.findall(lookups[2]), "", width))
    lead = _LEAD.match(statement)
    if lead is None:
        raise _Unsure
    value = statement[lead.end() :]
    if _ATOM.fullmatch(value):
        return _in_parentheses(lead[0], value, width)
    return _expression(lead[0], value, "", width)


def _lookups(lead: str, groups: list[str], tail: str, width: int) -> list[str]:
    """Open the last bracket before which the line fits, if what follows fits too.

    If there is none, open the last one of all, and go on with what is before it.
    """
    if not groups or len(_INDENT + groups[-1]) > width:
        raise _Unsure
    after = f"]{tail}"
    for place in reversed(range(len(groups))):
        before = lead + "".join(groups[:place])
        if len(before) < width:
            return [f"{before}[", _INDENT + groups[place][1:-1], after]
        after = f"]{''.join(groups[place:])}{tail}"
        if len(after) > width:
            break
    *others, last = groups
    lines = _lookups(lead, others, "[", width)
    return [*lines, _INDENT + last[1:-1], f"]{tail}"]


def _row(key: str, value: str, width: int) -> Iterator[str]:
    """An item of a mapping, which is a line by itself already."""
    if _ATOM.fullmatch(value):
        return iter((f"{key}{value},",))
    return _expression(key, value, ",", width)


def _in_parentheses(lead: str, value: str, width: int) -> Iterator[str]:
    """A text or a name gets parentheses, if it fits on a line of its own."""
    if len(_INDENT + value) > width:
        yield lead + value
    else:
        yield from (f"{lead}(", _INDENT + value, ")")


def _expression(lead: str, value: str, tail: str, width: int) -> Iterator[str]:
    """Split at the last bracket, and at earlier ones if the line is still too long."""
    head, groups = _trailers(value)
    display = not head and len(groups) == 1
    line = lead + head
    while len(groups) > 1:
        (opening, inner, closing), *groups = groups
        whole = line + opening + inner + closing
        if len(whole + groups[-1][0]) <= width:
            line = whole
        else:
            opened = line + opening
            *lines, line = _bracketed(opened, inner, closing, width, explode=False)
            yield from lines
    opening, inner, closing = groups[0]
    closing += tail
    if len(line + opening + inner + closing) <= width:
        yield line + opening + inner + closing
    else:
        yield from _bracketed(line + opening, inner, closing, width, explode=display)


def _bracketed(
    opening: str, inner: str, closing: str, width: int, *, explode: bool
) -> Iterator[str]:
    """All items on one line of their own, or one a line; displays always the latter."""
    items = list(_items(inner))
    if len(items) < 2 or len(opening) > width or len(closing) > width:
        raise _Unsure
    yield opening
    if not explode and len(_INDENT + inner) <= width:
        yield _INDENT + inner
    else:
        for item in items:
            yield from (_INDENT + line for line in _item(item, width - len(_INDENT)))
    yield closing


def _item(item: str, width: int) -> Iterator[str]:
    if len(item) < width:
        return iter((f"{item},",))
    if item[0] not in _CLOSING:
        raise _Unsure
    return _expression("", item, ",", width)


def _trailers(value: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Return a dotted name and the brackets behind it: ``f.g(a)(b)``."""
    head = _HEAD.match(value)
    end = head.end() if head else 0
    name = value[:end]
    groups: list[tuple[str, str, str]] = []
    while end < len(value):
        opening = value[end]
        if opening not in _CLOSING:
            raise _Unsure
        close = _matching(value, end)
        groups.append((opening, value[end + 1 : close], value[close]))
        end = close + 1
    if not groups:
        raise _Unsure
    return name, groups


def _matching(text: str, start: int) -> int:
    """Return the place of the bracket that closes the one at ``start``."""
    depth = 0
    for place, char in _marks(text, start):
        if char in _CLOSING:
            depth += 1
        elif char != ",":
            depth -= 1
            if depth == 0:
                return place
    raise _Unsure


def _items(text: str) -> Iterator[str]:
    """Yield what stands between the commas that are in no brackets."""
    depth = start = 0
    for place, char in _marks(text, 0):
        if char in _CLOSING:
            depth += 1
        elif char != ",":
            depth -= 1
        elif depth == 0:
            yield text[start:place].strip()
            start = place + 1
    if text[start:].strip():
        yield text[start:].strip()


def _marks(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield brackets and commas with their places, those in strings left out."""
    found = _TOKENS.search(text, start)
    while found is not None:
        string = _STRINGS.get(found[0])
        if string is None:
            yield found.start(), found[0]
            end = found.end()
        else:
            closed = string.match(text, found.start())
            if closed is None:
                raise _Unsure
            end = closed.end()
        found = _TOKENS.search(text, end)
