"""The operators of ``exported/``, generated and registered in PyTorch for tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
PROJECT = HERE / "exported"
RULED = HERE / "ruled"


def make_project(folder: Path, files: Mapping[str, str]) -> None:
    """Write a project to a folder and generate its operators."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    command = [sys.executable, "-m", "keyslot.codegen"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@contextmanager
def importable(folder: Path) -> Generator[None]:
    """Let modules of a folder be imported; forget them afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        before = set(sys.modules)
        try:
            yield
        finally:
            for name in set(sys.modules) - before:
                if _is_in(sys.modules[name], folder):
                    del sys.modules[name]


def _is_in(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)


@contextmanager
def generated(folder: Path, project: Path = PROJECT) -> Generator[ModuleType]:
    """Yield the package of a project, generated in a folder."""
    files = (path for path in project.iterdir() if path.is_file())
    # The projects have kernels in common.
    shared = PROJECT / "exported_kernels.py"
    paths = {path.name: path for path in (shared, *files)}
    make_project(folder, {name: at.read_text("utf-8") for name, at in paths.items()})
    with importable(folder):
        yield import_module(f"{project.name}_ops")
