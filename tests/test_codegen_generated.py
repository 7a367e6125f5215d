"""What is generated is what the case file shows; it is clean, true and typed."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import black
import pytest
from black.mode import TargetVersion

from .codegen_cases import CASES, Case, generate, read_cases, write_cases
from .installed import make_installed

FILE = CASES / "generated.txt"
MAKES = "makes "
HEAD, ALL = read_cases(FILE, (MAKES,))
#: The names by which black may be told of the same lines.
MODE = black.Mode(target_versions={TargetVersion.PY311})


def outputs(case: Case, folder: Path) -> dict[str, str]:
    """Return the text of every file that a case makes."""
    run = generate(folder, case.files)
    assert run.code == 0, run.said
    made = folder / "demo_ops"
    return {
        path.relative_to(made).as_posix(): path.read_text("utf-8")
        for path in made.rglob("*.py*")
        if path.suffix in (".py", ".pyi")
    }


@contextmanager
def imported(folder: Path, package: str) -> Generator[Any]:
    """Yield a generated package, and forget it afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(folder), *sys.path])
        patch.setattr(sys, "dont_write_bytecode", True)
        try:
            yield importlib.import_module(package)
        finally:
            for name in [n for n in sys.modules if n.split(".")[0] == package]:
                del sys.modules[name]


def test_output_is_as_recorded(tmp_path: Path, update_cases: bool) -> None:
    """Each file that a case asks for has exactly the recorded text."""
    _, cases = read_cases(FILE, (MAKES,))
    for place, case in enumerate(cases):
        made = outputs(case, tmp_path / str(place))
        for section in case.recorded:
            case.recorded[section] = made[section.removeprefix(MAKES)]
    if update_cases:
        write_cases(FILE, HEAD, cases)
    else:
        assert HEAD + "".join(map(str, cases)) == FILE.read_text("utf-8")


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.title)
def test_output_is_clean(case: Case, tmp_path: Path) -> None:
    """Black changes nothing in any file, and every file is Python."""
    for name, text in outputs(case, tmp_path).items():
        ast.parse(text, name)
        mode = replace(MODE, is_pyi=name.endswith(".pyi"))
        assert black.format_str(text, mode=mode) == text


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.title)
def test_output_can_be_imported(case: Case, tmp_path: Path) -> None:
    """Every operator of a case loads, with the overloads that were declared."""
    if 'native = "torch"' in case.files.get("pyproject.toml", ""):
        pytest.importorskip("torch")
    outputs(case, tmp_path)
    with imported(tmp_path, "demo_ops") as ops:
        for name in ops:
            assert getattr(ops, name).overloads()


@pytest.mark.parametrize("stubs", [True, False], ids=["stubs", "modules"])
def test_output_passes_the_strictest_type_checks(stubs: bool, tmp_path: Path) -> None:
    """Mypy has nothing against any stub, nor against the modules that they describe."""
    if find_spec("mypy") is None:
        pytest.skip("mypy comes with the extra dev")
    installed = tmp_path / "installed"
    make_installed(installed)
    packages: list[str] = []
    for place, case in enumerate(ALL):
        folder = tmp_path / f"case_{place}"
        outputs(case, folder)
        folder.joinpath("__init__.py").touch()
        packages.append(str(folder))
    if not stubs:
        # It reads no module that has a stub.
        for path in tmp_path.glob("case_*/*/*/*.pyi"):
            path.unlink()
    # Operators that PyTorch dispatches too import it, and it is not there.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\n[mypy-torch.*]\nignore_missing_imports = True\n")
    options = ["--strict", "--config-file", str(settings)]
    command = [sys.executable, "-m", "mypy", *options, *packages]
    environment = {"MYPYPATH": str(installed), "PATH": ""}
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
