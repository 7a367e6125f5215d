"""Coverage as text: a table of what differs, and a few lines on what does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..console import Cell, Shown, print_line, print_table
from ..states import MEANINGS, STYLES
from .data import Coverage, Row, States, overload_count, state_text


def print_coverage(coverage: Coverage, *, every_column: bool = False) -> None:
    """Print a row for each overload, and the totals of each column.

    Unless ``every_column``, columns with one state for all overloads are left out and
    named below, and what is alike is joined: neighbouring columns with the same for all
    overloads, and neighbouring overloads of one operator.
    """
    same = {} if every_column else _same_everywhere(coverage)
    shown = [n for n in range(len(coverage.columns)) if n not in same]
    groups = [[place] for place in shown] if every_column else _joined(coverage, shown)
    if coverage.rows and groups:
        names = [_name([coverage.columns[place].name for place in g]) for g in groups]
        rows = [[row] for row in coverage.rows] if every_column else _alike(coverage)
        places = [group[0] for group in groups]
        print_table(["overload", *names], [_row(each, places) for each in rows])
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


def _alike(coverage: Coverage) -> Iterator[list[Row]]:
    """Yield the overloads; neighbours of one operator that are alike are together."""

    def what_is_shown(row: Row) -> tuple[str, list[str]]:
        operator = row.op.qualified_name.partition(".")[0]
        return operator, [state_text(states) for states in row.columns]

    for _, rows in groupby(coverage.rows, what_is_shown):
        yield [*rows]


def _row(rows: list[Row], places: list[int]) -> list[Shown]:
    first, *others = (row.op.qualified_name for row in rows)
    names = [first, *(f".{name.partition('.')[2]}" for name in others)]
    return [", ".join(names), *(_cell(rows[0].columns[place]) for place in places)]


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
        by_count: dict[int, list[str]] = {}
        for place in backends:
            name = coverage.columns[place].name
            by_count.setdefault(coverage.called(place), []).append(name)
        said = (f"{', '.join(names)}: {count}" for count, names in by_count.items())
        print_line("with a kernel at ", "; ".join(said))
    used = {s for row in coverage.rows for states in row.columns for s in states}
    for state, meaning in MEANINGS.items():
        if state in used:
            print_line("  ", Cell(state, STYLES[state]), f": {meaning}")
