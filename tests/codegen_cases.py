"""Case files of the generator: a project, and what `keyslot codegen` makes of it.

A case begins with ``=== title``. Its files follow, each after ``--- name``, then come
sections that start with ``===`` and hold what is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pytest

from keyslot.tools.__main__ import main

CASES = Path(__file__).parent / "cases" / "codegen"

#: The configuration of a case that brings none.
CONFIG = """\
[tool.keyslot]
namespace = "demo"
schemas = ["ops*.yaml"]
output = "demo_ops"
"""

#: Operators whose cells are in most states that a cell can be in.
IN_MANY_STATES = """\
- func: turn(Tensor self) -> Tensor
  dispatch:
    CompositeImplicitAutograd: shop.kernels:turn
- func: spread(Tensor self) -> Tensor
  dispatch:
    SparseNumPy: shop.kernels:turn
    CompositeImplicitAutograd: shop.kernels:turn
- func: track(Tensor self) -> Tensor
  dispatch:
    NumPy: shop.kernels:turn
    Torch: shop.kernels:turn
    AutogradTorch: shop.kernels:turn
    Autograd: shop.kernels:turn
"""


@dataclass
class Case:
    """One case: the files of a project, and what is recorded about it."""

    title: str
    files: dict[str, str]
    recorded: dict[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        files = "".join(f"--- {name}\n{text}" for name, text in self.files.items())
        sections = self.recorded.items()
        recorded = "".join(f"=== {name}\n{text}" for name, text in sections)
        return f"=== {self.title}\n{files}{recorded}"


@dataclass(frozen=True)
class Run:
    """How a run of the command ended, and what it said."""

    code: int
    said: str


def read_cases(path: Path, sections: tuple[str, ...]) -> tuple[str, list[Case]]:
    """Return what stands before the first case, and the cases of a file.

    ``sections`` are the first words of what is recorded; all other lines with ``===``
    begin a case.
    """
    head, *parts = re.split(r"^=== (.*)\n", path.read_text("utf-8"), flags=re.M)
    cases: list[Case] = []
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        if title.startswith(sections):
            cases[-1].recorded[title] = text
        else:
            _, *files = re.split(r"^--- (.*)\n", text, flags=re.M)
            pairs = zip(files[::2], files[1::2], strict=True)
            cases.append(Case(title, dict(pairs)))
    return head, cases


def write_cases(path: Path, head: str, cases: list[Case]) -> None:
    """Write a case file anew."""
    path.write_text(head + "".join(map(str, cases)), "utf-8", newline="\n")


def make_project(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a project; one without a configuration gets the usual one."""
    for name, text in {"pyproject.toml": CONFIG, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")


def run_codegen(folder: Path, *arguments: str) -> Run:
    """Run `keyslot codegen` in a folder, and return what it said on either channel."""
    with pytest.MonkeyPatch.context() as patch, captured() as said:
        patch.chdir(folder)
        code = main(["codegen", *arguments])
    return Run(code, said())


def generate(folder: Path, files: Mapping[str, str], *arguments: str) -> Run:
    """Make a project and run the generator in it."""
    make_project(folder, files)
    return run_codegen(folder, *arguments)


@contextmanager
def captured() -> Generator[Callable[[], str]]:
    """Collect what is printed, errors and all, in the order of printing."""
    stream = StringIO()
    with redirect_stdout(stream), redirect_stderr(stream):
        yield stream.getvalue


@contextmanager
def no_progress(steps: int) -> Generator[Callable[[], None]]:
    """Show no progress bar."""
    del steps
    yield lambda: None
