"""Fresh processes of this Python, for what can be measured only once in each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent


def run(arguments: Sequence[str], *folders: Path) -> str:
    """Run this Python with these arguments and return what it prints.

    It imports from ``folders`` and from the repository, so also these benchmarks.

    Raises RuntimeError with what it wrote to standard error.
    """
    path = os.pathsep.join(map(str, (*folders, ROOT)))
    environment = {**os.environ, "PYTHONPATH": path}
    # Bytecode is compiled once and then read, as in any installation.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def run_child(name: str, *arguments: str, folders: Sequence[Path] = ()) -> Any:
    """Run a module of `benchmarks.children`; return the JSON that it prints."""
    return json.loads(run(["-m", f"benchmarks.children.{name}", *arguments], *folders))


def seconds_of(arguments: Sequence[str], *folders: Path) -> float:
    """Return how long such a process takes, its start included."""
    start = perf_counter()
    run(arguments, *folders)
    return perf_counter() - start


def in_turn(
    measured: Mapping[str, Callable[[], float]], rounds: int
) -> dict[str, list[float]]:
    """Measure everything once a round, so that all meet the same weather."""
    found: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, measure in measured.items():
            found[name].append(measure())
    return found


def middle_and_spread(values: Sequence[float], format: str) -> tuple[float, str]:
    """Return the median, and the least and the most as text."""
    return median(values), f"{min(values):{format}} to {max(values):{format}}"
