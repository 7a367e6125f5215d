"""Views of dispatch tables: one for each distinct set of registered keys."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from ..runtime.resolver import resolve_table
from ..runtime.space import KeySpace
from .literals import string

_FALLTHROUGH: Final = ":fallthrough"


class DeclaredCell(NamedTuple):
    """What one runtime key leads to as declared, and why."""

    key: str
    #: ``kernel``, ``fallback``, ``fallthrough``, ``ambiguous`` or ``missing``.
    kind: str
    #: The key or alias key that supplies it, if any.
    source: str | None
    #: The inside of a sentence, as the resolver says it.
    reason: str


@dataclass(frozen=True, slots=True)
class TableView:
    """The table of operators that register the same keys, as pieces of source."""

    key: tuple[str, ...]
    #: Runtime key, what its cell holds, and the key that supplies it.
    cells: tuple[tuple[str, str, str], ...]


def table_views(keys: Iterable[tuple[str, ...]], space: KeySpace) -> list[TableView]:
    """Return the views of the tables for these sets of registered keys, sorted."""
    return [_table_view(key, space) for key in sorted(set(keys))]


def declared_cells(
    space: KeySpace, registered: Container[str], passing: Container[str]
) -> Iterator[DeclaredCell]:
    """Yield the cells of a declared operator, in the order of the keys.

    ``registered`` names the keys and alias keys at which it has a kernel, ``passing``
    those of them where the kernel is a fallthrough.
    """
    resolved = resolve_table(space, registered, space.fallback_keys)
    for key, cell in zip(space.keys, resolved, strict=True):
        fallthroughs = space.fallthrough if cell.kind == "fallback" else passing
        passes = cell.source is not None and cell.source in fallthroughs
        kind = "fallthrough" if passes else cell.kind
        yield DeclaredCell(key, kind, cell.source, cell.reason)


def _table_view(key: tuple[str, ...], space: KeySpace) -> TableView:
    passing = {name.removesuffix(_FALLTHROUGH) for name in key if _FALLTHROUGH in name}
    registered = {name.removesuffix(_FALLTHROUGH) for name in key}
    return TableView(
        key=tuple(map(string, key)),
        cells=tuple(map(_cell_view, declared_cells(space, registered, passing))),
    )


def _cell_view(cell: DeclaredCell) -> tuple[str, str, str]:
    source = "None" if cell.source is None else string(cell.source)
    return string(cell.key), string(cell.kind), source
