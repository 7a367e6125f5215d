"""Compare an output folder with what it should hold, and write what is missing.

Nothing is written but through here. A lock keeps two runs from mixing: the later one
compares with what the earlier one left. Only files that carry our header are replaced
or removed. Whatever else lies in the output folder belongs to somebody else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOTDIR
from pathlib import Path
from typing import Final

from .cache import CACHE, locked
from .header import is_ours
from .problems import Problems
from .switch import is_unfinished, leftovers, remove_leftovers, replace_files

#: Stands for what is there and cannot be read as text: a folder, a broken link.
_NO_TEXT: Final = "\0"


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

    Nothing is written if a file of somebody else is in the way. Raises OSError where
    the system does not let us write, such as on a full disk.
    """
    plan = make_plan(folder, files, kind)
    if not plan.is_stale and not leftovers(folder, folder / CACHE):
        # Also where nothing can be written, if nothing has to be.
        return plan
    if os.path.lexists(folder) and not folder.is_dir():
        raise OSError(ENOTDIR, "is no folder, as the output must be", str(folder))
    try:
        return _write(folder, files, kind)
    except OSError as error:
        is_touched = is_unfinished(folder) or make_plan(folder, files, kind) != plan
        state = "the next run does the rest" if is_touched else "nothing was changed"
        reason = f"cannot be written: {_reason(folder, error)}; {state}"
        raise OSError(error.errno, reason, str(folder)) from None


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


def _write(folder: Path, files: Mapping[str, str], kind: Kind) -> Plan:
    with locked(folder) as cache:
        plan = make_plan(folder, files, kind)
        if plan.foreign:
            return plan
        remove_leftovers(folder, cache)
        try:
            replace_files(folder, cache, files, plan.changed)
        finally:
            remove_leftovers(folder, cache)
        for name in plan.obsolete:
            _remove(folder, name)
        return plan


def generated_files(folder: Path, kind: Kind = MODULES) -> Iterator[Path]:
    """Yield the files of an output folder that a run may have made."""
    for place, folders, names in os.walk(folder):
        hidden = [name for name in folders if name.startswith((".", "__"))]
        folders[:] = sorted(set(folders).difference(hidden))
        paths = (Path(place, name) for name in names)
        yield from (path for path in paths if path.suffix in kind.suffixes)


def replace_file(path: Path, data: bytes) -> None:
    """Write one file beside its place, then put it there in one step.

    A link stays, and what it leads to is replaced. What is no plain file, such as a
    pipe or a device, is written to. Raises OSError where the folder cannot be written
    to; then nothing has changed.
    """
    with naming(path):
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        place = path.resolve()
        staged = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            staged.write_bytes(data)
            os.replace(staged, place)
        finally:
            staged.unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Generator[None]:
    """Let an OSError have the name of the file that was asked for.

    On a full disk it has none, and else it may be a name of our own making.
    """
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _reason(folder: Path, error: OSError) -> str:
    """Return what the system said, and of which file, if that is one of the package."""
    reason = error.strerror or str(error)
    name = error.filename2 or error.filename
    path = Path(name) if isinstance(name, str) else folder
    if path == folder or CACHE in path.parts or not path.is_relative_to(folder):
        return reason
    return f"{path.relative_to(folder).as_posix()}: {reason}"


def _read(path: Path) -> str | None:
    """Return the text of a file, None where there is nothing at all."""
    try:
        # newline="" so that a file with other line ends counts as changed.
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError:
        return _NO_TEXT if os.path.lexists(path) else None


def _files_of_ours(folder: Path, kind: Kind) -> Iterator[str]:
    for path in generated_files(folder, kind):
        if kind.is_ours(_read(path) or ""):
            yield path.relative_to(folder).as_posix()


def _remove(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    parent = (folder / name).parent
    if parent != folder and not any(parent.iterdir()):
        parent.rmdir()
