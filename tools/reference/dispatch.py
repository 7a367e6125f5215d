"""Dispatch tables for people: keys that lead to the same thing are one row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...codegen.model import Overload, Packet
from ...codegen.view_overloads import table_key
from ...codegen.view_tables import DeclaredCell
from ...runtime.space import KeySpace
from ..cells import cells_of, group_keys, name_keys
from ..text import Code, Line


@dataclass(frozen=True, slots=True)
class DispatchRow:
    """Keys that lead to the same thing."""

    keys: Line
    leads_to: Line
    #: Why the first of them does.
    reason: str


@dataclass(frozen=True, slots=True)
class DispatchTable:
    """The table of overloads that register the same keys."""

    overloads: tuple[str, ...]
    rows: tuple[DispatchRow, ...]


def dispatch_tables(packet: Packet, space: KeySpace) -> Iterator[DispatchTable]:
    """Yield the tables of an operator, in the order in which overloads need them."""
    found: dict[tuple[str, ...], list[Overload]] = {}
    for overload in packet.overloads:
        found.setdefault(table_key(overload), []).append(overload)
    for overloads in found.values():
        names = tuple(overload.schema.qualified for overload in overloads)
        yield DispatchTable(names, tuple(_rows(overloads[0], space)))


def _rows(overload: Overload, space: KeySpace) -> Iterator[DispatchRow]:
    cells = cells_of(overload, space)
    groups = group_keys((_lead(cell), cell) for cell in cells)
    # Kernels first, for it is they that people look for.
    for lead in sorted(groups, key=lambda lead: lead[0] != "kernel"):
        group = groups[lead]
        yield DispatchRow(name_keys(group.keys, space), _words(*lead), group.reason)


def _lead(cell: DeclaredCell) -> tuple[str, str | None]:
    """Return the kind of a cell, and the alias key that supplies it, if one does."""
    return cell.kind, None if cell.source == cell.key else cell.source


def _words(kind: str, source: str | None) -> Line:
    if kind == "kernel":
        return ("the kernel at ", "the key itself" if source is None else Code(source))
    if kind == "missing":
        return ("no kernel: an error",)
    if kind == "ambiguous":
        return ("ambiguous: an error",)
    return ("fallthrough: calls pass over the key",)
