"""Views of dispatch tables: one for each distinct set of registered keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..runtime.resolver import Resolution, resolve_table
from ..runtime.space import KeySpace
from .literals import string

_FALLTHROUGH: Final = ":fallthrough"


@dataclass(frozen=True, slots=True)
class TableView:
    """The table of operators that register the same keys, as pieces of source."""

    key: tuple[str, ...]
    #: Runtime key, what its cell holds, and the key that supplies it.
    cells: tuple[tuple[str, str, str], ...]


def table_views(keys: Iterable[tuple[str, ...]], space: KeySpace) -> list[TableView]:
    """Return the views of the tables for these sets of registered keys, sorted."""
    return [_table_view(key, space) for key in sorted(set(keys))]


def _table_view(key: tuple[str, ...], space: KeySpace) -> TableView:
    passing = {name.removesuffix(_FALLTHROUGH) for name in key if _FALLTHROUGH in name}
    registered = {name.removesuffix(_FALLTHROUGH) for name in key}
    resolved = resolve_table(space, registered, space.fallthrough)
    cells = zip(space.keys, _cells(resolved, passing), strict=True)
    return TableView(
        key=tuple(map(string, key)),
        cells=tuple((string(name), *cell) for name, cell in cells),
    )


def _cells(
    resolved: Iterable[Resolution], passing: set[str]
) -> Iterator[tuple[str, str]]:
    for cell in resolved:
        # The fallbacks of a key space are fallthroughs, all of them.
        passes = cell.kind == "fallback" or cell.source in passing
        kind = "fallthrough" if passes else cell.kind
        yield string(kind), "None" if cell.source is None else string(cell.source)
