"""The documents and examples of the repository, and how they are run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUNNER = ROOT / "tests" / "run_document.py"
#: How the names of documents and examples begin that run where PyTorch is.
ABOUT_PYTORCH = "pytorch"


def documents() -> Iterator[Path]:
    """Yield every document that is run, whatever it needs."""
    for pattern in ("*.md", "*/README.md", "docs/**/*.md"):
        for path in ROOT.glob(pattern):
            if not path.relative_to(ROOT).parts[0].startswith("."):
                yield path


def examples() -> Iterator[Path]:
    """Yield every example: a program, or a folder that is a project."""
    for path in (ROOT / "examples").iterdir():
        if path.suffix == ".py" or path.joinpath("main.py").is_file():
            yield path


def needing_pytorch(paths: Iterable[Path], needing: bool) -> list[Path]:
    """Return those that need PyTorch, or those that do not, sorted."""
    return sorted(
        path for path in paths if path.name.startswith(ABOUT_PYTORCH) is needing
    )


def name_of(path: Path) -> str:
    """Return how a file is called in the repository."""
    return path.relative_to(ROOT).as_posix()


def run_python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run this Python as a user would, in a process of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
