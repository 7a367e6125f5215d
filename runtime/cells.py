"""The cells of a dispatch table as facts, for people and for tools.

A fact is plain data. It prints as a line of text; `notebook` and the commands of
``keyslot`` render the same data in other ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, final

from .resolver import SERVE_UNDEFINED, resolve
from .trace import kernel_name

if TYPE_CHECKING:
    from .op import OpOverload
    from .space import NamedKey
    from .table import DispatchTable

#: What `cell_state` may return, the nearest to a kernel of one's own first.
STATES: Final = (
    "own",
    "composite",
    "alias",
    "fallback",
    "fallthrough",
    "ambiguous",
    "missing",
)


def cell_state(key: str, kind: str, source: str | None) -> str:
    """Return what a cell is to its key: its kind, and for a kernel from where.

    A kernel is the key's ``own``, a ``composite`` over other operators, or that of
    another ``alias`` key.
    """
    if kind != "kernel":
        return kind
    if source == key:
        return "own"
    return "composite" if source in SERVE_UNDEFINED else "alias"


class CellFacts(NamedTuple):
    """What one key of an operator leads to."""

    #: The runtime key.
    key: str
    #: ``kernel``, ``fallback``, ``fallthrough``, ``ambiguous`` or ``missing``.
    kind: str
    #: The key or alias key that supplies it.
    source: str | None
    #: The kernel, as ``module:name``.
    kernel: str | None
    #: Where it was registered.
    site: str | None
    #: Why this and no other.
    reason: str

    @property
    def state(self) -> str:
        """The kind, and for a kernel from where; one of `STATES`."""
        return cell_state(self.key, self.kind, self.source)

    def __str__(self) -> str:
        if self.kernel is None or self.kind == "fallthrough":
            return f"{self.key}: {self.kind} ({self.reason})"
        return f"{self.key}: {self.kernel} from {self.site} ({self.reason})"


class CellGroup(NamedTuple):
    """Neighbouring keys of a table that lead to the same."""

    #: The keys, highest first.
    keys: tuple[str, ...]
    #: One of `STATES`.
    state: str
    #: The alias key that supplies it; None where each key does so for itself.
    source: str | None
    #: The kernel, as ``module:name``; None where none is called.
    kernel: str | None
    #: Where it was registered.
    site: str | None

    @property
    def key_text(self) -> str:
        """The keys in short: the first and the last, and how many they are."""
        if len(self.keys) < 3:
            return ", ".join(self.keys)
        return f"{self.keys[0]} to {self.keys[-1]} ({len(self.keys)} keys)"


def group_cells(cells: Iterable[CellFacts]) -> list[CellGroup]:
    """Join neighbouring cells that lead to the same."""
    groups: list[CellGroup] = []
    for cell in cells:
        group = _group_of_one(cell)
        if groups and groups[-1][1:] == group[1:]:
            group = group._replace(keys=groups.pop().keys + group.keys)
        groups.append(group)
    return groups


def _group_of_one(cell: CellFacts) -> CellGroup:
    source = None if cell.source == cell.key else cell.source
    if cell.kind == "fallthrough":
        # Nothing is called there, so it does not matter what would be.
        return CellGroup((cell.key,), cell.state, source, None, None)
    return CellGroup((cell.key,), cell.state, source, cell.kernel, cell.site)


def cell_facts(op: OpOverload, table: DispatchTable, place: int) -> CellFacts:
    """Return what one cell of a table leads to, and why."""
    space = op.dispatcher.space
    key, (kind, source) = space.keys[place], table.cells[place]
    reason = resolve(space, table.kernels, table.fallbacks, key).reason
    kernel = table.kernel(place)
    if kernel is None:
        return CellFacts(key, kind, source, None, None, reason)
    if kernel in op.tables.python_kernels.values():
        reason = f"a Python kernel; {reason}"
    return CellFacts(key, kind, source, kernel_name(kernel), str(kernel.site), reason)


def places(bits: int) -> list[int]:
    """Return the places of the keys of a set, highest first."""
    places: list[int] = []
    while bits:
        places.append(bits.bit_length())
        bits ^= 1 << bits.bit_length() >> 1
    return places


@final
class TableView:
    """The dispatch table of an operator: every runtime key, its kernel and why.

    Iterate over it for the cells, index it with a key, or print it. Keys that nothing
    was registered for are left out when it is printed.
    """

    __slots__ = ("op", "_table")

    def __init__(self, op: OpOverload) -> None:
        #: The overload whose table it is.
        self.op: Final = op
        self._table: Final = op.dispatch_table

    def __getitem__(self, key: str | NamedKey) -> CellFacts:
        dispatcher = self.op.dispatcher
        place = dispatcher.space.index(dispatcher.backends.key(key))
        return cell_facts(self.op, self._table, place)

    def __iter__(self) -> Iterator[CellFacts]:
        count = len(self._table.cells)
        return (cell_facts(self.op, self._table, place) for place in range(count))

    def __len__(self) -> int:
        return len(self._table.cells)

    def __repr__(self) -> str:
        cells = [cell for cell in self if cell.kind != "missing"]
        missing = [cell.key for cell in self if cell.kind == "missing"]
        lines = [f"  {cell}" for cell in reversed(cells)]
        rest = f"  no kernel: {', '.join(missing)}" if missing else ""
        return "\n".join([f"{self.op.name}, highest key first", *lines, rest]).rstrip()

    def _repr_html_(self) -> str:
        from .notebook import table_html

        return table_html(self)

    def groups(self) -> list[CellGroup]:
        """Return the table in short, highest key first."""
        return group_cells(reversed(list(self)))
