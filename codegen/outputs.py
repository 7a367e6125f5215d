"""Write generated files. This is the only module that writes into output folders.

The new files are staged first and then put in place with one atomic replacement each,
so a run that is killed leaves old files or new ones, never half a file, and the next
run mends what it left. A lock keeps two runs from mixing: the later one compares with
what the earlier one left.

Only files that carry our header are replaced or removed. Whatever else lies in the
output folder belongs to somebody else.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .header import is_ours
from .problems import Problems

CACHE: Final = ".keyslot-cache"
_STAGING: Final = "staging"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of output: which files of a folder a run may replace and remove."""

    suffixes: tuple[str, ...]
    #: Whether a text is one that a run wrote.
    is_ours: Callable[[str], bool]


MODULES: Final = Kind((".py", ".pyi"), is_ours)


@dataclass(frozen=True, slots=True)
class Plan:
    """How the output folder differs from what it should hold. Names are relative."""

    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    #: Files of ours that nothing asks for any more.
    obsolete: tuple[str, ...]
    #: Files of somebody else where ours should go.
    foreign: tuple[str, ...]

    @property
    def is_stale(self) -> bool:
        """Whether the folder holds anything else than it should."""
        return bool(self.changed or self.obsolete)


def make_plan(folder: Path, files: Mapping[str, str], kind: Kind = MODULES) -> Plan:
    """Compare the files to be with the files on disk; nothing is written."""
    changed: list[str] = []
    unchanged: list[str] = []
    foreign: list[str] = []
    for name in sorted(files):
        old = _read(folder / name)
        if old == files[name]:
            unchanged.append(name)
        elif old is None or kind.is_ours(old) or not old.strip():
            changed.append(name)
        else:
            foreign.append(name)
    obsolete = sorted(set(_files_of_ours(folder, kind)) - set(files))
    return Plan(tuple(changed), tuple(unchanged), tuple(obsolete), tuple(foreign))


def write_files(folder: Path, files: Mapping[str, str], kind: Kind = MODULES) -> Plan:
    """Bring the folder to hold these files, and return what had to be done.

    Nothing is written if a file of somebody else is in the way.
    """
    with _locked(folder):
        plan = make_plan(folder, files, kind)
        if not plan.foreign:
            _stage_and_replace(folder, {name: files[name] for name in plan.changed})
            for name in plan.obsolete:
                _remove(folder, name)
        return plan


def refuse_foreign(folder: Path, plan: Plan) -> None:
    """Raise DeclarationError if files of somebody else are in the way."""
    problems = Problems()
    for name in plan.foreign:
        message = (
            "was not made by this generator and stands where its output should go;"
            " nothing was written"
        )
        problems.add_file(str(folder / name), message)
    problems.raise_any()


def generated_files(folder: Path, kind: Kind = MODULES) -> Iterator[Path]:
    """Yield the files of an output folder that a run may have made."""
    for place, folders, names in os.walk(folder):
        hidden = [name for name in folders if name.startswith((".", "__"))]
        folders[:] = sorted(set(folders).difference(hidden))
        paths = (Path(place, name) for name in names)
        yield from (path for path in paths if path.suffix in kind.suffixes)


def replace_file(path: Path, data: bytes) -> None:
    """Write one file beside its place, then put it there in one step.

    Raises OSError where the folder cannot be written to; then nothing has changed.
    """
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staged.write_bytes(data)
        os.replace(staged, path)
    except OSError as error:
        # The name that was asked for says more than that of our own making.
        error.filename = str(path)
        raise
    finally:
        staged.unlink(missing_ok=True)


def write_cache(folder: Path, name: str, data: bytes) -> None:
    """Keep something that makes the next run faster. It may vanish at any time."""
    replace_file(_make_cache(folder) / name, data)


def read_cache(folder: Path, name: str) -> bytes | None:
    """Return what an earlier run kept."""
    try:
        return (folder / CACHE / name).read_bytes()
    except OSError:
        return None


def _read(path: Path) -> str | None:
    try:
        # newline="" so that a file with other line ends counts as changed.
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError:
        return None


def _files_of_ours(folder: Path, kind: Kind) -> Iterator[str]:
    for path in generated_files(folder, kind):
        if kind.is_ours(_read(path) or ""):
            yield path.relative_to(folder).as_posix()


def _stage_and_replace(folder: Path, files: Mapping[str, str]) -> None:
    staging = folder / CACHE / _STAGING
    # What a killed run left behind.
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    staged = {name: staging / str(place) for place, name in enumerate(files)}
    for name, path in staged.items():
        path.write_text(files[name], encoding="utf-8", newline="\n")
    for folder_name in _parents(files):
        (folder / folder_name).mkdir(parents=True, exist_ok=True)
    for name, path in staged.items():
        os.replace(path, folder / name)
    staging.rmdir()


def _parents(names: Iterable[str]) -> list[str]:
    return sorted({Path(name).parent.as_posix() for name in names})


def _remove(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    parent = (folder / name).parent
    if parent != folder and not any(parent.iterdir()):
        parent.rmdir()


def _make_cache(folder: Path) -> Path:
    cache = folder / CACHE
    cache.mkdir(parents=True, exist_ok=True)
    ignore = cache / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return cache


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Hold the lock of an output folder; the system frees it if the run is killed."""
    with (_make_cache(folder) / "lock").open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
