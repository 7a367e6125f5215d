"""The command `keyslot new`: the project that it starts works, and is clean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from keyslot.tools.__main__ import main
from keyslot.tools.new import command

from .installed import make_installed

FILES = [
    ".gitignore",
    "README.md",
    "my_arrays/__init__.py",
    "my_arrays/numpy_kernels.py",
    "my_arrays/py.typed",
    "noxfile.py",
    "pyproject.toml",
    "schemas/ops.yaml",
    "tests/test_ops.py",
]
ADDED = """
- func: double(Tensor self) -> Tensor
  doc: Twice the array.
  dispatch:
    NumPy: double
"""
KERNEL = '''

def double(self: NDArray[Any]) -> NDArray[Any]:
    """Return twice the array."""
    twice: NDArray[Any] = self * 2
    return twice
'''


@dataclass(frozen=True)
class Installed:
    """What is known of an installed distribution: the address it came from."""

    recorded: str | None

    def read_text(self, name: str) -> str | None:
        """Return a file that pip wrote."""
        return self.recorded if name == "direct_url.json" else None


def installed_from(recorded: str | None) -> Callable[[str], Installed]:
    """Return what stands for the search for a distribution."""

    def distribution(name: str) -> Installed:
        assert name == "keyslot"
        return Installed(recorded)

    return distribution


def run_in(folder: Path, *command: str) -> str:
    """Run a Python module in a folder, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def files_in(folder: Path) -> list[str]:
    """Return the names of all files below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in found)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new project with an operator added to it, generated."""
    folder = tmp_path_factory.mktemp("new") / "my-arrays"
    assert main(["new", str(folder)]) == 0
    with (folder / "schemas" / "ops.yaml").open("a") as file:
        file.write(ADDED)
    with (folder / "my_arrays" / "numpy_kernels.py").open("a") as file:
        file.write(KERNEL)
    run_in(folder, "keyslot.tools", "codegen")
    return folder


def test_new_project_has_all_it_needs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The folder gives the names, and what to do next is said at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "distribution", installed_from(None))
    assert main(["new", "inside/my-arrays"]) == 0
    folder = tmp_path / "inside" / "my-arrays"
    assert files_in(folder) == FILES
    assert capsys.readouterr().out == (
        "inside/my-arrays: 9 files written. Try next:\n\n"
        "    cd inside/my-arrays\n"
        "    nox -s codegen    # generate the operators of schemas/ops.yaml\n"
        "    nox -s tests      # run the tests\n"
        "    nox -s check      # find kernels that do not fit their schema\n"
    )
    settings = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    assert settings["project"]["name"] == "my-arrays"
    assert settings["project"]["dependencies"] == [
        f"keyslot[numpy]>={version('keyslot')}"
    ]
    assert settings["tool"]["keyslot"]["namespace"] == "my_arrays"


@pytest.mark.parametrize(
    ("recorded", "source"),
    [
        ('{"url": "file:///a%20b", "dir_info": {"editable": true}}', "file:///a%20b"),
        ('{"url": "https://x/k.whl", "archive_info": {}}', "https://x/k.whl"),
        ('{"url": "https://x/k", "vcs_info": {"vcs": "git"}}', "git+https://x/k"),
    ],
)
def test_keyslot_that_no_index_has(
    recorded: str,
    source: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where keyslot came from an address, it is said how nox gets it from there."""
    monkeypatch.setattr(command, "distribution", installed_from(recorded))
    assert main(["new", str(tmp_path / "my_arrays")]) == 0
    assert capsys.readouterr().out.endswith(
        f"was installed from {source}:\n\n"
        f"    python -m pip wheel --no-deps --wheel-dir dist {source}\n"
        '    export PIP_FIND_LINKS="$PWD/dist"\n'
    )


def test_empty_folder_may_be_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A project may be started in the current folder, under a name of its own."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", ".", "--name", "my_arrays"]) == 0
    assert files_in(tmp_path) == FILES
    assert "    cd " not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jinja2"], "'jinja2' is a module that is installed here, which the package"),
        (["numpy"], "'numpy' is the name of something else that the project has or"),
        (["json"], "'json' is a module that is installed here"),
        (["class"], "'class' is a keyword of Python"),
        (["keyslot"], "'keyslot' is the namespace of keyslot's own operators"),
        (["prim"], "'prim' is a reserved namespace"),
        (["tests"], "'tests' is the name of something else that the project has"),
        (["2d"], "'2d' is no name of a package"),
        (["_x"], "'_x' is no name of a package"),
        (["x_"], "'x_' is no name of a package"),
        (["größe"], "'größe' is no name of a package"),
        (["fine", "--name", "a.b"], "'a.b' is no name of a package"),
        (["full"], "full is not empty; nothing was written."),
        (["file"], "file is there and is no folder."),
        (["file/below"], "file/below"),
    ],
)
def test_bad_name_or_folder_is_refused(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What cannot be a project ends the command with 2, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    (tmp_path / "file").touch()
    assert main(["new", *arguments]) == 2
    assert capsys.readouterr().err.startswith(says)
    assert files_in(tmp_path) == ["file", "full/notes.txt"]


def test_failure_leaves_nothing_behind(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where a file cannot be written, those before it and their folders go, too."""
    usual: Callable[..., Any] = Path.open

    def on_full_disk(self: Path, *args: Any, **kwargs: Any) -> Any:
        if self.name == "test_ops.py":
            raise OSError(28, "No space left on device")
        return usual(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", on_full_disk)
    folder = tmp_path / "far" / "my_arrays"
    assert main(["new", str(folder)]) == 2
    assert "test_ops.py: No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_operators_of_the_project_can_be_imported(project: Path) -> None:
    """After an operator is added to the YAML and generated, it can be called."""
    (project / "call.py").write_text(
        "import numpy as np\n\nfrom my_arrays import ops\n\n"
        "print(ops.double(np.arange(3)), ops.hypot(np.array([3]), np.array([4])))\n"
    )
    assert run_in(project, "call") == "[0 2 4] [5.]\n"


def test_tests_of_the_project_pass(project: Path) -> None:
    """Its own tests run, and the examples in the documentation of its operators."""
    said = run_in(project, "pytest", "-v", "-p", "no:cacheprovider")
    assert "test_ops.py::test_normalized_rows_have_length_one PASSED" in said
    assert "ops.py::my_arrays.ops.ops.ops.hypot PASSED" in said


def test_project_passes_its_own_check(project: Path) -> None:
    """`keyslot check` has nothing against it, nor has `keyslot codegen --check`."""
    said = run_in(project, "keyslot.tools", "check", "--unused")
    assert said == "3 overloads, 3 kernels: 0 errors, 0 warnings\n"
    run_in(project, "keyslot.tools", "codegen", "--check")


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--isolated", "--no-cache", "."],
        ["black", "--check", "."],
    ],
    ids=["ruff", "black"],
)
def test_project_is_formatted(project: Path, command: list[str]) -> None:
    """The files and what is generated from them are as formatters want them."""
    if find_spec(command[0]) is None:
        pytest.skip(f"{command[0]} comes with the extra dev")
    run_in(project, *command)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_project_is_typed(project: Path, checker: str, tmp_path: Path) -> None:
    """Both type checkers, in strict mode, find nothing in the whole project."""
    if find_spec(checker) is None:
        pytest.skip(f"{checker} comes with the extra dev")
    installed = tmp_path / "installed"
    make_installed(installed)
    if checker == "mypy":
        settings = tmp_path / "mypy.ini"
        settings.write_text(f"[mypy]\nstrict = true\nmypy_path = {installed}\n")
        cache = f"--cache-dir={tmp_path / 'cache'}"
        run_in(project, "mypy", f"--config-file={settings}", cache, ".")
        return
    settings = tmp_path / "pyrightconfig.json"
    wanted = {
        "include": [os.path.relpath(project, tmp_path)],
        "extraPaths": [str(project)],
        "stubPath": str(installed),
        "typeCheckingMode": "strict",
    }
    settings.write_text(json.dumps(wanted))
    python = ["--pythonpath", sys.executable]
    run_in(project, "pyright", "--warnings", *python, "--project", str(settings))
