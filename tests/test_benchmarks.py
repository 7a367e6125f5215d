"""The benchmarks run: what they measure is right, and results get where they belong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: The groups that take a second or two.
CHEAP = ("calls", "handlers", "python_dispatcher", "families")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def run_benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does, from the root of the repository."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        # Bytecode of temporary packages is of no use to anybody.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_smoke_run_fills_the_readme_and_the_json(tmp_path: Path) -> None:
    """Cheap groups run once, every table has rows, and only the marked part changes."""
    readme, results = tmp_path / "README.md", tmp_path / "results.json"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    done = run_benchmarks(
        *("--smoke", "--only", *CHEAP),
        *("--write", str(readme), "--json", str(results)),
    )
    assert done.returncode == 0, done.stderr
    tables = json.loads(results.read_text("utf-8"))["tables"]
    titles = {table["title"]: table["rows"] for table in tables}
    assert all(titles.values())
    text = readme.read_text("utf-8")
    assert re.fullmatch(rf"before\n{BEGIN}\n.*\n{END}\nafter\n", text, re.DOTALL)
    assert "old" not in text
    assert all(f"### {title}\n" in text for title in titles)


@pytest.mark.parametrize("content", ["no markers\n", f"{END}\n{BEGIN}\n"])
def test_readme_without_markers_is_left_alone(content: str, tmp_path: Path) -> None:
    """A file without the two markers in order is refused and not written to."""
    readme = tmp_path / "README.md"
    readme.write_text(content, "utf-8")
    done = run_benchmarks(
        "--smoke", "--only", "python_dispatcher", "--write", str(readme)
    )
    assert done.returncode == 1
    assert f"has no {BEGIN} followed by {END}" in done.stderr
    assert readme.read_text("utf-8") == content


def test_readme_lists_every_module() -> None:
    """The README has one line for each module, and both markers."""
    folder = ROOT / "benchmarks"
    readme = (folder / "README.md").read_text("utf-8")
    listed = re.findall(r"^- `([\w/]+\.py)`", readme, re.MULTILINE)
    there = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if path.name != "__init__.py"
    ]
    assert sorted(listed) == sorted(there)
    assert readme.index(BEGIN) < readme.index(END)
