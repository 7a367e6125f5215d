"""Which operators have kernels where: overloads by backend and by functionality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...codegen.counting import counted
from ...runtime.cells import STATES, cell_state
from ...runtime.dispatch_state import PYTHON_DISPATCHER
from ..inputs import check_names
from ..states import CALLED, FAILING

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.space import KeySpace

#: What the keys of a column are in, for one overload: state -> keys.
States = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Column:
    """Keys that are looked at together."""

    name: str
    #: ``backend``, one key, where its arrays are computed with; or ``functionality``,
    #: one key, or one for each backend.
    kind: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One overload, and what it has in each column."""

    op: OpOverload
    columns: tuple[States, ...]

    @property
    def is_missing(self) -> bool:
        """Whether a call would be an error at some of the keys."""
        return any(not FAILING.isdisjoint(states) for states in self.columns)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of the overloads that were asked for."""

    #: The generated package.
    package: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def totals(self, place: int) -> dict[str, int]:
        """Return how many cells of a column are in each state, nearest first."""
        counts: Counter[str] = Counter()
        for row in self.rows:
            counts.update({state: len(k) for state, k in row.columns[place].items()})
        return {state: counts[state] for state in STATES if counts[state]}

    def called(self, place: int) -> int:
        """Return for how many overloads calls do something at every key of a column."""
        return sum(CALLED.issuperset(row.columns[place]) for row in self.rows)


def select_columns(
    space: KeySpace, backends: Sequence[str], functionalities: Sequence[str]
) -> tuple[Column, ...]:
    """Return the columns for these backends and functionalities.

    All where neither are given. Functionalities with a key for each backend are seen at
    the keys of the backends that are given.

    Raises InputError for a name that the space does not have.
    """
    known = {column.name: column for column in _functionalities(space)}
    check_names(backends, space.backends, "backend")
    check_names(functionalities, known, "functionality")
    every = not backends and not functionalities
    shown = [b for b in space.backends if every or b in backends]
    columns = [Column(b, "backend", space.backend_keys(b)[:1]) for b in shown]
    for name, column in known.items():
        if every or name in functionalities:
            columns += _narrowed(space, column, backends)
    return tuple(columns)


def read_coverage(
    package: str, ops: Sequence[OpOverload], columns: tuple[Column, ...]
) -> Coverage:
    """Return what each overload has in each column. No kernel is imported."""
    rows = tuple(Row(op, tuple(_states(op, columns))) for op in ops)
    return Coverage(package, columns, rows)


def only_missing(coverage: Coverage) -> Coverage:
    """Return the overloads of which a call would be an error in some column."""
    rows = tuple(row for row in coverage.rows if row.is_missing)
    return Coverage(coverage.package, coverage.columns, rows)


def state_text(states: States) -> str:
    """Return the states of a column in words; how many keys only where they differ."""
    if len(states) == 1:
        return next(iter(states))
    return ", ".join(f"{state} {len(keys)}" for state, keys in states.items())


def overload_count(coverage: Coverage) -> str:
    """Return in words how many overloads there are."""
    return counted(len(coverage.rows), "overload")


def coverage_data(coverage: Coverage) -> dict[str, Any]:
    """Return the coverage as the JSON that the command prints."""
    names = [column.name for column in coverage.columns]
    return {
        "package": coverage.package,
        "columns": coverage.columns,
        "overloads": [
            {
                "op": row.op.name,
                "schema": row.op.schema_text,
                "declared_in": row.op.origin,
                "states": dict(zip(names, row.columns, strict=True)),
            }
            for row in coverage.rows
        ],
        "totals": {name: coverage.totals(place) for place, name in enumerate(names)},
    }


def _functionalities(space: KeySpace) -> Iterator[Column]:
    """Yield what is not a backend's own key: transforms, sparse arrays and the like."""
    own = {space.backend_keys(backend)[0] for backend in space.backends}
    # The Python dispatcher is no key that an operator could have a kernel at.
    keys = [k for k in space.keys[1:] if k not in own and k != PYTHON_DISPATCHER]
    for name in dict.fromkeys(space.functionality_of[key] for key in keys):
        held = tuple(key for key in keys if space.functionality_of[key] == name)
        yield Column(name, "functionality", held)


def _narrowed(
    space: KeySpace, column: Column, backends: Sequence[str]
) -> Iterator[Column]:
    """Yield a column with the keys of these backends, if it has keys of backends."""
    if not backends or space.backend_of.keys().isdisjoint(column.keys):
        yield column
        return
    held = tuple(key for key in column.keys if space.backend_of.get(key) in backends)
    if held:
        yield Column(column.name, column.kind, held)


def _states(op: OpOverload, columns: Sequence[Column]) -> Iterator[States]:
    space, cells = op.dispatcher.space, op.dispatch_table.cells
    for column in columns:
        found: dict[str, tuple[str, ...]] = {}
        for key in column.keys:
            state = cell_state(key, *cells[space.index(key)])
            found[state] = (*found.get(state, ()), key)
        yield {state: found[state] for state in STATES if state in found}
