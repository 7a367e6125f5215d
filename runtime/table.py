"""Dispatch tables: what each runtime key of one operator resolves to.

The generator computes the table of each operator. It depends only on which keys
have a kernel, so operators that register the same keys share one `DeclaredTable`.
A `DispatchTable` joins it with the kernels of one operator. It is never changed:
a registration replaces it, so a reader always sees one state of affairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Final, NamedTuple, final

from .kernel import Kernel
from .resolver import Resolution, resolve_table
from .space import KeySpace


class Cell(NamedTuple):
    """What one runtime key resolves to."""

    #: ``kernel``, ``fallback``, ``fallthrough``, ``ambiguous`` or ``missing``.
    kind: str
    #: The key whose registration or fallback supplies it, if any.
    source: str | None


@final
class DeclaredTable:
    """The cells of every runtime key for operators that register the same keys."""

    __slots__ = ("cells", "mask")

    #: The cells in the order of the space.
    cells: Final[tuple[Cell, ...]]
    #: Bits of the keys that may be called: all but the fallthrough ones.
    mask: Final[int]

    def __init__(
        self, space: KeySpace, cells: Mapping[str, tuple[str, str | None]]
    ) -> None:
        self.cells = tuple(Cell(*cells[key]) for key in space.keys)
        self.mask = _mask(self.cells)


@final
class DispatchTable:
    """The cells of one operator and the kernels behind them, at one moment."""

    __slots__ = ("cells", "mask", "kernels", "fallbacks", "handlers", "_recording")

    #: The cells in the order of the space.
    cells: Final[tuple[Cell, ...]]
    #: Bits of the keys that may be called: all but the fallthrough ones.
    mask: Final[int]
    #: Active kernel of each registered runtime or alias key.
    kernels: Final[Mapping[str, Kernel]]
    #: Active fallback of each key that has one.
    fallbacks: Final[Mapping[str, Kernel]]

    def __init__(
        self,
        cells: tuple[Cell, ...],
        mask: int,
        kernels: Mapping[str, Kernel],
        fallbacks: Mapping[str, Kernel],
    ) -> None:
        self.cells = cells
        self.mask = mask
        self.kernels = kernels
        self.fallbacks = fallbacks
        #: The handler of each key, None until it is needed.
        self.handlers: Final[list[Any]] = [None] * len(cells)
        self._recording: int | None = None

    @property
    def recording(self) -> int:
        """Bits of the keys whose kernels record gradients.

        They have nothing to do for arrays without keys of their own, so those do not
        bring these keys into a call.
        """
        if self._recording is None:
            recording = {k for k, kernel in self.kernels.items() if kernel.records}
            self._recording = 0
            for index, cell in enumerate(self.cells):
                if cell.source in recording and cell.kind == "kernel":
                    self._recording |= 1 << index >> 1
        return self._recording

    def usable(self, bits: int, plain: int) -> int:
        """Return the bits of the keys that a call with ``bits`` may reach.

        ``plain`` are those that only arrays without keys of their own bring.
        """
        return bits & self.mask & ~(plain & self.recording)

    def kernel(self, index: int) -> Kernel | None:
        """Return the kernel that the cell at ``index`` leads to, if it has one."""
        kind, source = self.cells[index]
        if source is None:
            return None
        if kind == "fallback":
            return self.fallbacks[source]
        return self.kernels.get(source) or self.fallbacks.get(source)

    def difference(self, other: DispatchTable) -> frozenset[int]:
        """Return the places of the keys that lead elsewhere than in ``other``."""
        return frozenset(
            index
            for index, cell in enumerate(self.cells)
            if cell != other.cells[index]
            or self.kernel(index) is not other.kernel(index)
        )


class Change(NamedTuple):
    """A change of one operator's tables, with and without its Python kernels."""

    before: DispatchTable
    after: DispatchTable
    python_before: DispatchTable
    python_after: DispatchTable

    def concerns(self, bits: int, python: bool, place: int | None, plain: int) -> bool:
        """Whether a call at a place, or at the highest key, reaches another kernel.

        ``plain`` are the bits that only arrays without keys of their own bring.
        """
        old, new = (
            (self.python_before, self.python_after)
            if python
            else (self.before, self.after)
        )
        if place is None:
            if plain & (old.recording ^ new.recording):
                # They are in the key set that a kernel gets, or no more.
                return True
            place = old.usable(bits, plain).bit_length()
            if place != new.usable(bits, plain).bit_length():
                return True
        same = old.cells[place] == new.cells[place]
        return not same or old.kernel(place) is not new.kernel(place)


def build_table(
    space: KeySpace, kernels: Mapping[str, Kernel], fallbacks: Mapping[str, Kernel]
) -> DispatchTable:
    """Resolve every runtime key of an operator with these kernels and fallbacks."""
    resolved = resolve_table(space, kernels, fallbacks)
    cells = tuple(_cell(entry, kernels, fallbacks) for entry in resolved)
    return DispatchTable(cells, _mask(cells), kernels, fallbacks)


def without(space: KeySpace, table: DispatchTable, keys: Set[str]) -> DispatchTable:
    """Return the table of an operator that has no kernels at some keys."""
    left = {key: kernel for key, kernel in table.kernels.items() if key not in keys}
    return build_table(space, left, table.fallbacks)


def _cell(
    entry: Resolution, kernels: Mapping[str, Kernel], fallbacks: Mapping[str, Kernel]
) -> Cell:
    kind, source = entry.kind, entry.source
    if source is not None and kind in ("kernel", "fallback"):
        supplier = kernels if kind == "kernel" else fallbacks
        if supplier[source].is_fallthrough:
            return Cell("fallthrough", source)
    return Cell(kind, source)


def _mask(cells: tuple[Cell, ...]) -> int:
    mask = 0
    for index, cell in enumerate(cells):
        if cell.kind != "fallthrough":
            mask |= 1 << index >> 1
    return mask
