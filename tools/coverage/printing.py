"""Coverage as text: a table of what differs, and a few lines on what does not."""

from __future__ import annotations

from collections.abc import Iterator

from ..console import Cell, Shown, print_line, print_table
from ..states import MEANINGS, STYLES
from .data import Coverage, Row, States, overload_count, state_text


def print_coverage(coverage: Coverage, *, every_column: bool = False) -> None:
    """Print a row for each overload, and the totals of each column.

    Unless ``every_column``, columns with one state for all overloads are left out and
    named below, and neighbours with the same for all overloads are one column.
    """
    same = {} if every_column else _same_everywhere(coverage)
    shown = [n for n in range(len(coverage.columns)) if n not in same]
    groups = [[place] for place in shown] if every_column else _joined(coverage, shown)
    if coverage.rows and groups:
        names = [_name([coverage.columns[place].name for place in g]) for g in groups]
        rows = (_row(row, [group[0] for group in groups]) for row in coverage.rows)
        print_table(["overload", *names], rows)
        print_line()
    for state, names_of_columns in _by_state(coverage, same):
        shown_state = Cell(f"{state} everywhere", STYLES.get(state, ""))
        print_line(shown_state, ": ", names_of_columns)
    _print_totals(coverage)


def _joined(coverage: Coverage, places: list[int]) -> list[list[int]]:
    """Return the columns; neighbours with the same for all overloads are joined."""
    groups: list[list[int]] = []
    for place in places:
        if groups and _texts(coverage, groups[-1][0]) == _texts(coverage, place):
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _texts(coverage: Coverage, place: int) -> list[str]:
    return [state_text(row.columns[place]) for row in coverage.rows]


def _name(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _row(row: Row, places: list[int]) -> list[Shown]:
    return [row.op.qualified_name, *(_cell(row.columns[place]) for place in places)]


def _cell(states: States) -> Cell:
    first = next(iter(states))
    return Cell(state_text(states), STYLES[first] if len(states) == 1 else "yellow")


def _same_everywhere(coverage: Coverage) -> dict[int, str]:
    """Return the columns in which all overloads have the same, with what that is."""
    if len(coverage.rows) < 2:
        return {}
    same: dict[int, str] = {}
    for place in range(len(coverage.columns)):
        texts = set(_texts(coverage, place))
        if len(texts) == 1:
            same[place] = texts.pop()
    return same


def _by_state(coverage: Coverage, same: dict[int, str]) -> Iterator[tuple[str, str]]:
    for state in dict.fromkeys(same.values()):
        places = (place for place, held in same.items() if held == state)
        yield state, ", ".join(coverage.columns[place].name for place in places)


def _print_totals(coverage: Coverage) -> None:
    print_line(Cell(overload_count(coverage), "bold"))
    backends = [n for n, c in enumerate(coverage.columns) if c.kind == "backend"]
    if coverage.rows and backends:
        names = (coverage.columns[place].name for place in backends)
        called = (str(coverage.called(place)) for place in backends)
        pairs = zip(names, called, strict=True)
        print_line("with a kernel at ", ", ".join(f"{n}: {c}" for n, c in pairs))
    used = {s for row in coverage.rows for states in row.columns for s in states}
    for state, meaning in MEANINGS.items():
        if state in used:
            print_line("  ", Cell(state, STYLES[state]), f": {meaning}")
