"""What is wrong in a project is said completely, and in exactly the recorded words."""

from __future__ import annotations

from pathlib import Path

import pytest

from .codegen_cases import CASES, generate, read_cases, write_cases

FILES = ("configuration", "fields", "rules")


@pytest.mark.parametrize("name", FILES)
def test_refusals_are_as_recorded(
    name: str, tmp_path: Path, update_cases: bool
) -> None:
    """Each case of a case file ends and says what the file has recorded."""
    path = CASES / f"{name}.txt"
    head, cases = read_cases(path, ("says",))
    for place, case in enumerate(cases):
        folder = tmp_path / str(place)
        run = generate(folder, case.files)
        case.recorded = {"says": f"exit {run.code}\n{run.said}"}
    if update_cases:
        write_cases(path, head, cases)
    else:
        assert head + "".join(map(str, cases)) == path.read_text("utf-8")
