"""Type checkers accept right calls of operators and refuse wrong ones.

The calls are in tests/typing/ and are never executed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .installed import ROOT, make_installed

RIGHT = ROOT / "tests" / "typing" / "right_calls.py"
WRONG = ROOT / "tests" / "typing" / "wrong_calls.py"

#: File and line of an error, and what is said of it.
Errors = dict[tuple[str, int], str]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which type checkers find keyslot."""
    folder = tmp_path_factory.mktemp("installed")
    make_installed(folder)
    return folder


def mypy(installed: Path) -> Errors:
    """Return what mypy says of both files, in strict mode."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file="]
    options = ["--no-error-summary", f"--cache-dir={ROOT / '.mypy_cache'}"]
    done = subprocess.run(
        [*command, *options, str(RIGHT), str(WRONG)],
        env={"MYPYPATH": str(installed), "PATH": ""},
        cwd=installed,
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    found = re.findall(r"^(.+):(\d+): error: (.+)$", done.stdout, re.M)
    return {(Path(file).name, int(line)): text for file, line, text in found}


def pyright(installed: Path) -> Errors:
    """Return what pyright says of both files, in strict mode."""
    config = {
        "include": [RIGHT.name, WRONG.name],
        "stubPath": str(installed),
        "typeCheckingMode": "strict",
    }
    for file in (RIGHT, WRONG):
        # It leaves out files that do not lie beside its configuration.
        shutil.copy(file, installed)
    path = installed / "pyrightconfig.json"
    path.write_text(json.dumps(config), "utf-8")
    options = ["--outputjson", "--pythonpath", sys.executable, "--project", str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "pyright", *options], capture_output=True, text=True
    )
    said: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    return {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"]
        for each in said
        if each["severity"] != "information"
    }


def marked(path: Path) -> list[int]:
    """Return the numbers of the lines that are marked as wrong."""
    lines = enumerate(path.read_text("utf-8").splitlines(), 1)
    return [number for number, line in lines if line.endswith("  # error")]


@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
def test_right_calls_pass_and_wrong_ones_do_not(
    checker: Callable[[Path], Errors], installed: Path
) -> None:
    """Exactly the lines that are marked have errors, with either type checker."""
    if find_spec(checker.__name__) is None:
        pytest.skip(f"{checker.__name__} comes with the extra dev")
    errors = checker(installed)
    right = {line: text for (file, line), text in errors.items() if file == RIGHT.name}
    assert right == {}
    wrong = {line: text for (file, line), text in errors.items() if file == WRONG.name}
    assert sorted(wrong) == marked(WRONG), wrong
    assert len(right) + len(wrong) == len(errors)
