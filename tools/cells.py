"""The cells of declared operators: what each key leads to, and keys named in groups."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ..codegen.model import Overload
from ..codegen.view_tables import DeclaredCell, declared_cells
from ..runtime.space import KeySpace
from .text import Code, Line, codes, joined

_Leading = TypeVar("_Leading", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Lead:
    """What a key of an overload leads to."""

    #: ``kernel``, ``fallthrough``, ``ambiguous`` or ``missing``.
    kind: str
    #: The alias key that supplies it; None where that is the key itself, or nothing.
    source: str | None
    #: The kernel as YAML names it, if one is called.
    kernel: str | None

    @property
    def line(self) -> Line:
        """The lead in words."""
        source: Line = () if self.source is None else (" of ", Code(self.source))
        if self.kernel is not None:
            return (Code(self.kernel), *source)
        return ("no kernel" if self.kind == "missing" else self.kind, *source)


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Runtime keys of an overload that lead to the same."""

    #: Lowest priority first.
    keys: tuple[str, ...]
    #: Why the first of them does.
    reason: str


def cells_of(overload: Overload, space: KeySpace) -> Iterator[DeclaredCell]:
    """Yield the cells of an overload, in the order of the keys."""
    kernels = overload.kernels.items()
    passing = {key for key, kernel in kernels if kernel.is_fallthrough}
    return declared_cells(space, overload.kernels, passing)


def lead_of(overload: Overload, cell: DeclaredCell) -> Lead:
    """Return what a cell of an overload leads to."""
    source = cell.source
    kernel = None
    if cell.kind == "kernel" and source is not None:
        kernel = str(overload.kernels[source])
    return Lead(cell.kind, None if source == cell.key else source, kernel)


def group_keys(
    cells: Iterable[tuple[_Leading, DeclaredCell]],
) -> dict[_Leading, KeyGroup]:
    """Join the cells that lead to the same, as said before each, wherever they are.

    A group is in the place of its first key.
    """
    found: dict[_Leading, list[DeclaredCell]] = {}
    for leading, cell in cells:
        found.setdefault(leading, []).append(cell)
    return {
        leading: KeyGroup(tuple(cell.key for cell in group), group[0].reason)
        for leading, group in found.items()
    }


def name_keys(keys: Collection[str], space: KeySpace) -> Line:
    """Name runtime keys, lowest priority first: ``every Dense key but NumPy, Batched``.

    A functionality stands for its keys where all of them are meant, or most.
    """
    return joined(_phrases(frozenset(keys), space))


def _phrases(keys: frozenset[str], space: KeySpace) -> Iterator[Line]:
    for functionality, members in _by_functionality(space).items():
        meant = [key for key in members if key in keys]
        others = [key for key in members if key not in keys]
        if len(meant) > 2 and len(meant) > len(others):
            but: Line = (
                (" but ", *joined(map(_code, others), " and ")) if others else ()
            )
            yield ("every ", Code(functionality), " key", *but)
        elif meant:
            yield codes(meant)


def _by_functionality(space: KeySpace) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in space.keys:
        found.setdefault(space.functionality_of.get(key, key), []).append(key)
    return found


def _code(name: str) -> Line:
    return (Code(name),)
