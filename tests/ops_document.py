"""The tables of docs/ops.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

DOCUMENT = Path(__file__).parent.parent / "docs" / "ops.md"


def table(heading: str) -> Iterator[list[str]]:
    """Yield the rows of the table whose first column has this heading."""
    text = DOCUMENT.read_text("utf-8")
    _, rows = text.split(f"| {heading} |", 1)
    for row in rows.split("\n\n")[0].splitlines()[2:]:
        yield [cell.strip() for cell in row.strip("|").split(" |")]
