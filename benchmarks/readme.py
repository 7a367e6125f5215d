"""The measured part of the README: everything between its two markers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .tables import Table

README: Final = Path(__file__).with_name("README.md")
BEGIN: Final = "<!-- measured: begin -->"
END: Final = "<!-- measured: end -->"


class MarkerError(ValueError):
    """The README lacks the markers between which tables belong."""


def write_measured(path: Path, machine: str, tables: Sequence[Table]) -> None:
    """Replace what is between the markers; the rest of the file stays.

    Raises MarkerError where the markers are not there, once and in order.
    """
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise MarkerError(f"{path} has no {BEGIN} followed by {END}")
    parts = [BEGIN, f"Measured with {machine}.", *(t.markdown() for t in tables), END]
    path.write_text(before + "\n\n".join(parts) + after, "utf-8")
