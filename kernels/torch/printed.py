"""What PyTorch prints of an operator, as values. Nothing here asks PyTorch.

The texts are those of ``OperatorEntry::dumpState`` and ``dumpComputedTable`` in
aten/src/ATen/core/dispatch/OperatorEntry.cpp. A line that is not read raises: what is
left out in silence would come out as another table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ...runtime.errors import UnreadableTextError

#: A kernel's place is any text, brackets and colons included, so the last `::` counts.
_REGISTRATION: Final = re.compile(
    r"(?P<key>\w+)(?:\[alias\])?(?: \(inactive\))?: (?P<site>.*) :: .*"
    r" \[ (?P<forms>(?:\w+ )*)\]"
)
_CELL: Final = re.compile(
    r"(?P<key>\w+): (?P<passed>fallthrough )?(?P<site>.*) \[(?P<rule>[^\[\]]*)\]"
)
#: What comes before the kernels; an operator that nobody has defined has no schema.
_HEADINGS: Final = ("name: ", "schema: ", "debug: ", "alias analysis kind: ")
FALLBACK_RULE: Final = "backend fallback"


class Registered(NamedTuple):
    """One kernel of PyTorch's."""

    #: Where it was registered, in PyTorch's words.
    site: str
    #: Whether dispatch passes over the key.
    is_fallthrough: bool


class PrintedCell(NamedTuple):
    """One line of a table: the kernel at a key, and the rule by which it is there."""

    #: Where the kernel was registered, in PyTorch's words.
    site: str
    #: PyTorch's word for the rule, ``kernel`` for one registered at the key itself.
    rule: str
    #: Whether dispatch passes over the key.
    is_fallthrough: bool


def read_registrations(text: str) -> dict[str, tuple[Registered, ...]]:
    """Return the kernels at each key and alias key, the one in force first.

    The others are those that it overrides; removing it brings back the next one.

    Raises UnreadableTextError for a line that is neither heading nor kernel.
    """
    found: dict[str, tuple[Registered, ...]] = {}
    for match in _matches(_REGISTRATION, _kernel_lines(text), "registrations"):
        is_fallthrough = "fallthrough" in match["forms"].split()
        kernel = Registered(match["site"], is_fallthrough)
        found[match["key"]] = (*found.get(match["key"], ()), kernel)
    return found


def read_table(text: str) -> dict[str, PrintedCell]:
    """Return the cells of a table by key. Keys without any kernel are left out.

    Raises UnreadableTextError for a line that is not a cell.
    """
    return {
        match["key"]: PrintedCell(match["site"], match["rule"], bool(match["passed"]))
        for match in _matches(_CELL, _lines(text), "table")
    }


def _kernel_lines(text: str) -> Iterator[str]:
    return (line for line in _lines(text) if not line.startswith(_HEADINGS))


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text: a file may have a name that `splitlines` would cut."""
    return (line for line in text.split("\n") if line)


def _matches(
    pattern: re.Pattern[str], lines: Iterable[str], what: str
) -> Iterator[re.Match[str]]:
    for line in lines:
        match = pattern.fullmatch(line)
        if match is None:
            raise UnreadableTextError(what, line)
        yield match
