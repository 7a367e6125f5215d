"""Output folders that cannot be written: one sentence, and nothing is lost."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from .codegen_cases import Run, make_project, run_codegen

OLD = {
    "ops_1.yaml": "- func: add(Tensor self, Tensor other) -> Tensor\n",
    "ops_2.yaml": "- func: neg(Tensor self) -> Tensor\n",
}
NEW = {
    "ops_1.yaml": "- func: add(Tensor array, Tensor other) -> Tensor\n",
    "ops_3.yaml": "- func: exp(Tensor array) -> Tensor\n",
}
CHANGES = frozenset(("os.mkdir", "os.rename", "os.utime", "os.remove", "os.rmdir"))
REASONS = (errno.ENOSPC, errno.EACCES, errno.EROFS)
NOTHING = "nothing was changed"
CACHE = ".keyslot-cache"


class Disk:
    """Lets the system refuse one change of the output folder after the other."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.number = 0
        sys.addaudithook(self.hook)  # for good: there is no way to take it back

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        """Count a change of the output folder, and refuse the last that is counted."""
        if self.left is None or "demo_ops" not in str(args[:2]):
            return
        writes = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in CHANGES:
            self.left -= 1
            if self.left == 0:
                self.left = None
                raise OSError(self.number, os.strerror(self.number))

    @contextmanager
    def refusing(self, change: int, number: int) -> Generator[None]:
        """Refuse one change, counted from 1, with an error number."""
        self.left, self.number = change, number
        try:
            yield
        finally:
            self.left = None


DISK = Disk()


def contents(folder: Path) -> dict[str, str]:
    """Return the text of every file of an output folder but its cache."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and CACHE not in path.parts
    }


def make_old(folder: Path) -> None:
    """Make a project whose output is that of the old schemas, its files the new ones.

    A file of somebody else lies among those of ours.
    """
    make_project(folder, OLD)
    assert run_codegen(folder).code == 0
    (folder / "demo_ops" / "ops" / "mine.py").write_text("MINE = True\n")
    (folder / "ops_2.yaml").unlink()
    make_project(folder, NEW)


def test_change_that_is_refused(tmp_path: Path) -> None:
    """Whichever change the system refuses, the run says so, and the next one mends."""
    make_old(tmp_path / "clean")
    assert run_codegen(tmp_path / "clean").code == 0
    new = contents(tmp_path / "clean" / "demo_ops")
    make_old(tmp_path / "saved")
    old = contents(tmp_path / "saved" / "demo_ops")
    project = tmp_path / "project"
    ended: list[tuple[int, bool]] = []
    for change in count(1):
        shutil.copytree(tmp_path / "saved", project)
        number = REASONS[change % len(REASONS)]
        with DISK.refusing(change, number):
            run = run_codegen(project)
            if DISK.left is not None:
                break  # the run makes no more changes than those that were refused
        assert_one_sentence(run, number)
        said_nothing = NOTHING in run.said
        if said_nothing:
            assert contents(project / "demo_ops") == old
        ended.append((run.code, said_nothing))
        assert run_codegen(project).code == 0
        assert contents(project / "demo_ops") == new
        shutil.rmtree(project)
    assert len(ended) > 30
    assert (2, True) in ended
    assert (2, False) in ended


def assert_one_sentence(run: Run, number: int) -> None:
    """Check that a run which the system stopped says so in one sentence."""
    if run.code == 0:
        # What only makes the next run faster could not be kept.
        assert run.said.endswith("demo_ops/: 5 files written, 2 unchanged, 2 removed\n")
    else:
        assert run.code == 2
        head = "demo_ops: cannot be written: "
        says = [NOTHING, "the next run does the rest"]
        reason = os.strerror(number)
        assert run.said in [f"{head}{reason}; {end}\n" for end in says]


def test_disk_that_is_really_full(tmp_path: Path) -> None:
    """Where the system takes no more bytes, the run says so, and nothing is changed."""
    pytest.importorskip("resource", reason="this system has no such limit")
    make_old(tmp_path)
    before = contents(tmp_path / "demo_ops")
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "from keyslot.codegen.__main__ import main; raise SystemExit(main(['codegen']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"demo_ops: cannot be written: {os.strerror(errno.EFBIG)}; {NOTHING}\n"
    )
    assert contents(tmp_path / "demo_ops") == before
    assert run_codegen(tmp_path).code == 0


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_folder_that_is_read_only(tmp_path: Path) -> None:
    """A folder without write permission is named, whether its cache has it or not."""
    make_old(tmp_path)
    before = contents(tmp_path / "demo_ops")
    (tmp_path / "demo_ops").chmod(0o555)
    run = run_codegen(tmp_path)
    (tmp_path / "demo_ops").chmod(0o755)
    assert run.code == 2
    assert run.said.startswith("demo_ops: cannot be written: ")
    assert contents(tmp_path / "demo_ops") == before


def test_folder_that_needs_nothing_need_not_be_writable(tmp_path: Path) -> None:
    """A run that finds all files as they should be does not ask to write any."""
    make_old(tmp_path)
    assert run_codegen(tmp_path).code == 0
    shutil.rmtree(tmp_path / "demo_ops" / CACHE)
    with DISK.refusing(1, errno.EROFS):
        run = run_codegen(tmp_path)
    assert (run.code, run.said[-11:]) == (0, "up to date\n")


def test_output_folder_may_be_a_link(tmp_path: Path) -> None:
    """The output goes to where a link leads, and the link stays one."""
    make_project(tmp_path, NEW)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "demo_ops").symlink_to("elsewhere", target_is_directory=True)
    assert run_codegen(tmp_path).code == 0
    assert (tmp_path / "demo_ops").is_symlink()
    assert (tmp_path / "elsewhere" / "tables.py").is_file()


@pytest.mark.parametrize("kind", ["file", "broken link"])
def test_output_folder_is_none(kind: str, tmp_path: Path) -> None:
    """Where something else has the name of the output folder, it stays as it is."""
    make_project(tmp_path, NEW)
    output = tmp_path / "demo_ops"
    if kind == "file":
        output.write_text("mine")
    else:
        output.symlink_to("nowhere")
    run = run_codegen(tmp_path)
    assert (run.code, run.said) == (
        2,
        "demo_ops: is no folder, as the output must be\n",
    )
    assert output.is_symlink() or output.read_text() == "mine"


@pytest.mark.parametrize("kind", ["folder", "link", "broken link"])
def test_something_else_has_the_name_of_a_file(kind: str, tmp_path: Path) -> None:
    """Where a file of ours should go, nothing of somebody else's is replaced."""
    make_old(tmp_path)
    tables = tmp_path / "demo_ops" / "tables.py"
    tables.unlink()
    if kind == "folder":
        tables.mkdir()
        (tables / "mine.txt").write_text("mine")
    else:
        tables.symlink_to("mine.py")
    if kind == "link":
        (tmp_path / "demo_ops" / "mine.py").write_text("MINE = True\n")
    before = contents(tmp_path / "demo_ops")
    run = run_codegen(tmp_path)
    assert (run.code, run.said) == (
        2,
        "demo_ops/tables.py: was not made by this generator and stands where its"
        " output should go; nothing was written\n1 problem.\n",
    )
    assert contents(tmp_path / "demo_ops") == before
    assert tables.is_dir() or tables.is_symlink()


def test_file_has_the_name_of_a_folder_inside(tmp_path: Path) -> None:
    """A file that is called like the folder of the modules is named and stays."""
    make_project(tmp_path, NEW | {"demo_ops/ops": "mine"})
    run = run_codegen(tmp_path)
    assert run.code == 2
    assert run.said.startswith("demo_ops: cannot be written: ops: ")
    assert run.said.endswith(f"; {NOTHING}\n")
    assert contents(tmp_path / "demo_ops") == {"ops": "mine"}
