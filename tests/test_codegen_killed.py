"""Runs that are killed, and processes that import meanwhile."""

from __future__ import annotations

import compileall
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as futures_wait
from importlib import import_module, reload
from pathlib import Path
from threading import Event
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


def test_package_that_is_reloaded_is_not_mixed(imported: Any) -> None:
    """After a new run a reload would bring new operators to old keys: it is refused."""
    assert imported.add(a) == "old"
    assert reload(imported) is imported
    generate_new(Path.cwd())
    for _ in range(2):
        with pytest.raises(errors.PackageChangedError):
            reload(imported)
    assert imported.add(a) == "old"


def test_package_without_source_is_imported(
    tmp_path: Path,
) -> None:
    """Bytecode alone, however new, is not taken for what the generator replaces."""
    project, _ = make_both(tmp_path)
    assert compileall.compile_dir(project / PACKAGE, quiet=1, legacy=True)
    for source in (project / PACKAGE).rglob("*.py"):
        source.unlink()
    assert imports(project) == "add moved neg"


def test_package_in_an_archive_is_imported(tmp_path: Path) -> None:
    """Nor is a package that is one with others in a file."""
    project, _ = make_both(tmp_path)
    shutil.make_archive(str(tmp_path / "all"), "zip", project)
    assert imports(tmp_path / "all.zip") == "add moved neg"


def test_package_without_a_file_is_imported(tmp_path: Path) -> None:
    """What a program holds in itself has no ``__file__``."""
    project, _ = make_both(tmp_path)
    without_file = """
from importlib.machinery import SourceFileLoader as Loader
kept = Loader.exec_module
def execute(self, module):
    if module.__name__ == "demo_ops":
        del module.__file__
    kept(self, module)
Loader.exec_module = execute
"""
    assert imports(project, without_file) == "add moved neg"


def imports(place: Path, before: str = "") -> str:
    """Load all operators of a package in a process of its own; return their names."""
    program = f"""
import sys
sys.path.insert(0, {str(place)!r})
{before}
import {PACKAGE}
print(*(getattr({PACKAGE}, name).__name__ for name in {PACKAGE}))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.rstrip()


def test_threads_wait_for_a_module_that_one_of_them_loads(imported: Any) -> None:
    """Who asks for an operator meanwhile gets it, not a module that is half there."""
    module = Path(PACKAGE, "ops", "ops_1.py")
    module.write_text(f"import versions\nversions.wait()\n{module.read_text()}")
    versions: Any = import_module("versions")
    is_loading, go_on = Event(), Event()

    def wait() -> None:
        is_loading.set()
        assert go_on.wait(60)

    versions.wait = wait
    with ThreadPoolExecutor() as pool:
        first = pool.submit(lambda: imported.add)
        assert is_loading.wait(60)
        others = [pool.submit(lambda: imported.add) for _ in range(2)]
        # They cannot be seen to wait; who does not has failed by now.
        failed, _ = futures_wait(others, timeout=0.1)
        go_on.set()
        assert not failed
        assert {first.result()} == {other.result() for other in others}
