"""Tables of results, as people and as programs read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and how its numbers are written."""

    heading: str
    format: str = ""

    def show(self, cell: Cell) -> str:
        """Return a cell as text; what is not there is left empty."""
        if cell is None:
            return ""
        return cell if isinstance(cell, str) else format(cell, self.format)


@dataclass(slots=True)
class Table:
    """Results of one kind, and what could not be measured."""

    title: str
    columns: Sequence[Column]
    rows: list[Sequence[Cell]] = field(default_factory=list[Sequence[Cell]])
    notes: list[str] = field(default_factory=list[str])

    def markdown(self) -> str:
        """Return the table as Markdown that also reads well on a terminal."""
        parts = [f"### {self.title}"]
        if self.rows:
            parts.append("\n".join(self._lines()))
        parts += [f"{note}." for note in self.notes]
        return "\n\n".join(parts)

    def data(self) -> dict[str, Any]:
        """Return everything for a program: rows by the headings of the columns."""
        headings = [column.heading for column in self.columns]
        rows = [dict(zip(headings, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": self.notes}

    def _lines(self) -> Iterator[str]:
        numeric = [
            any(isinstance(row[place], (int, float)) for row in self.rows)
            for place in range(len(self.columns))
        ]
        shown = [[column.heading for column in self.columns]]
        shown += [
            [column.show(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]
        widths = [max(map(len, cells)) for cells in zip(*shown, strict=True)]
        rule = [
            "-" * (width - right) + ":" * right
            for width, right in zip(widths, numeric, strict=True)
        ]
        for cells in (shown[0], rule, *shown[1:]):
            padded = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(cells, widths, numeric, strict=True)
            ]
            yield f"| {' | '.join(padded)} |"
