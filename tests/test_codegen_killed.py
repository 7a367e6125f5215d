"""Runs that are killed, and processes that import meanwhile."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from keyslot import errors

from .calling import a
from .codegen_cases import CONFIG, make_project, run_codegen

ROOT = Path(__file__).parent.parent
PACKAGE = "demo_ops"
CONFIGURED = CONFIG + '[tool.keyslot.kernels]\nNumPy = "versions"\nMeta = "versions"\n'
#: Modules come and go, operators change places, tables and kernels are others.
OLD = {
    "ops_1.yaml": """\
- func: add(Tensor self) -> Tensor
  dispatch: {NumPy: old}
""",
    "ops_2.yaml": """\
- func: moved(Tensor self) -> Tensor
  dispatch: {NumPy: old}
- func: neg(Tensor self) -> Tensor
  dispatch: {NumPy: old}
""",
}
NEW = {
    "ops_1.yaml": """\
- func: add(Tensor self) -> Tensor
  dispatch: {"NumPy, Meta": new}
- func: moved(Tensor self) -> Tensor
  dispatch: {NumPy: new, Meta: fallthrough}
""",
    "ops_3.yaml": """\
- func: neg(Tensor self) -> Tensor
  dispatch: {"NumPy, Meta": new}
""",
}
ALL_OLD = dict.fromkeys(("add", "moved", "neg"), "old")
ALL_NEW = dict.fromkeys(("add", "moved", "neg"), "new")
KERNELS = """\
def old(self):
    return "old"


def new(self):
    return "new"
"""


def make_both(folder: Path) -> tuple[Path, Path]:
    """Make a project, generated from the old schemas, and a folder of the new ones."""
    project, schemas = folder / "project", folder / "schemas"
    shared = {"pyproject.toml": CONFIGURED, "versions.py": KERNELS}
    make_project(project, OLD | shared)
    make_project(schemas, NEW | shared)
    assert run_codegen(project).code == 0
    return project, schemas


def run_program(what: str, folder: Path) -> list[dict[str, Any]]:
    """Run the program that kills and imports, and return what it says."""
    if not hasattr(os, "fork"):
        pytest.skip("runs are forked from one process, which this system cannot")
    command = [sys.executable, "-m", "tests.killed_runs", what]
    folders = [str(path) for path in make_both(folder)]
    done = subprocess.run(
        [*command, *folders], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return what hundreds of killed runs left."""
    return run_program("kill", tmp_path_factory.mktemp("killed"))


def test_kills_are_spread_over_the_whole_run(kills: list[dict[str, Any]]) -> None:
    """More than 200 runs are killed, before, while and after the package switches."""
    assert sum(kill["ended"].count(-9) for kill in kills) >= 200
    left = [kill["imported"][0] for kill in kills]
    assert left.count(ALL_OLD) >= 50
    assert left.count(ALL_NEW) >= 50


def test_kill_leaves_the_old_package_or_the_new_one(
    kills: list[dict[str, Any]],
) -> None:
    """Whenever a run is killed, all operators work, all old or all new."""
    for kill in kills:
        for imported in kill["imported"]:
            assert imported in (ALL_OLD, ALL_NEW), kill


def test_next_run_mends_what_a_kill_left(kills: list[dict[str, Any]]) -> None:
    """After the next run all files are those of a run that nobody killed, no others."""
    assert [kill for kill in kills if not kill["mended"]] == []


def test_import_meanwhile_sees_the_old_package_or_the_new_one(tmp_path: Path) -> None:
    """Who imports while the generator writes gets one package whole, or is told."""
    imports = run_program("import", tmp_path)
    changed = {"error": f"PackageChangedError('{PACKAGE}')"}
    assert (imports[0], imports[-1]) == (ALL_OLD, ALL_NEW)
    for imported in imports:
        assert imported in (ALL_OLD, ALL_NEW, changed)


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import a package whose schemas are replaced by the new ones afterwards."""
    project, _ = make_both(tmp_path)
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "path", [str(project), *sys.path])
    yield import_module(PACKAGE)
    for name in [*sys.modules]:
        if name.partition(".")[0] in (PACKAGE, "versions"):
            del sys.modules[name]


def generate_new(project: Path) -> None:
    """Generate the package anew, from the new schemas."""
    for path in project.glob("*.yaml"):
        path.unlink()
    shutil.copytree(project.parent / "schemas", project, dirs_exist_ok=True)
    assert run_codegen(project).code == 0


def test_process_keeps_to_the_package_it_imported(imported: Any) -> None:
    """After a new run a process has the operators that it loaded, and loads no more."""
    assert imported.add(a) == "old"
    generate_new(Path.cwd())
    assert imported.add(a) == "old"
    for _ in range(2):
        with pytest.raises(errors.PackageChangedError) as caught:
            _ = imported.neg
        assert str(caught.value) == (
            f"{PACKAGE} was generated anew after this process had imported it;"
            " start the process again"
        )
        assert isinstance(caught.value, ImportError)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("name", ["add", "moved"])
def test_run_while_a_module_is_loaded_is_noticed(
    name: str, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that is new, or is gone, when it is read is not mixed with the old."""

    def generate_and_import(module: str) -> ModuleType:
        generate_new(Path.cwd())
        return import_module(module)

    with monkeypatch.context() as patch:
        patch.setattr("keyslot.runtime.namespace.import_module", generate_and_import)
        with pytest.raises(errors.PackageChangedError):
            getattr(imported, name)
    with pytest.raises(errors.PackageChangedError):
        getattr(imported, name)


def test_module_that_moves_into_its_place_is_loaded_there(
    imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that is gone from the cache when it is read is read from its place."""
    gone = iter([FileNotFoundError()])

    def import_after_it_moved(module: str) -> ModuleType:
        for error in gone:
            raise error
        return import_module(module)

    with monkeypatch.context() as patch:
        patch.setattr("keyslot.runtime.namespace.import_module", import_after_it_moved)
        assert imported.neg(a) == "old"


def test_small_change_is_no_switch(imported: Any) -> None:
    """Where one module changes, a process may load it: there is nothing to mix."""
    schema = Path("ops_2.yaml")
    schema.write_text(schema.read_text().replace("old", "new"))
    assert run_codegen(Path.cwd()).said.endswith(
        "1 file written, 6 unchanged, 0 removed\n"
    )
    assert imported.neg(a) == "new"


def test_files_of_two_runs_are_of_two_seconds(tmp_path: Path) -> None:
    """A module never has the second of the one it replaced, however fast runs follow.

    Python tells by size and second whether its bytecode of a file is that of the file.
    """
    project, _ = make_both(tmp_path)
    seconds: list[int] = []
    for version in ("old", "new") * 4:
        text = OLD["ops_1.yaml"].replace("old", version)
        (project / "ops_1.yaml").write_text(text)
        run_codegen(project)
        module = project / PACKAGE / "ops" / "ops_1.py"
        seconds.append(int(module.stat().st_mtime))
    # The first run found the module up to date.
    assert len(set(seconds[1:])) == len(seconds[1:])


def test_package_replaced_while_it_is_imported_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading ``__init__.py`` and running it, another run may replace it."""
    project, _ = make_both(tmp_path)
    monkeypatch.chdir(project)
    old = (project / PACKAGE / "__init__.py").read_text("utf-8")
    generate_new(project)
    module = ModuleType(PACKAGE)
    module.__file__ = str(project / PACKAGE / "__init__.py")
    monkeypatch.setitem(sys.modules, PACKAGE, module)
    with pytest.raises(errors.PackageChangedError):
        exec(compile(old, module.__file__, "exec"), vars(module))
