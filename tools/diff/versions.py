"""Versions of a project: a folder, or a revision of the git repository it is in.

A revision is unpacked into a temporary folder. Only plain files are, at places inside
of that folder: what a repository holds is not trusted, and links could lead anywhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from ...codegen.options import FILE, has_options
from ...codegen.outputs import naming
from ...runtime.errors import DeclarationError
from ..inputs import InputError
from ..project import Project, read_project


class VersionError(InputError):
    """A version that cannot be read; the text says why, and of which."""


def read_version(version: str | None, config: str | None) -> Project:
    """Read the declarations of a version, of the working tree by default.

    ``config`` names the configuration file, as seen from the current folder; in another
    version it is at the same place.
    Raises VersionError where there is no such version, or wrong declarations in it.
    """
    file = _from_here(Path(config or FILE))
    if version is None:
        return _read(Path(), file, "the working tree")
    if not version:
        raise VersionError("a version is an empty text")
    if Path(version).is_dir():
        return _read(Path(version), file, version)
    with _revision(version, file) as folder:
        return _read(folder, file, version)


def _from_here(file: Path) -> str:
    """Return a path that means in each version the file of that version."""
    return os.path.relpath(file.parent.resolve() / file.name)


def _read(folder: Path, file: str, name: str) -> Project:
    path = folder / file
    if not has_options(path):
        raise VersionError(f"there is no {file} with a table [tool.keyslot] in {name}")
    try:
        return read_project(str(path))
    except DeclarationError as error:
        # Where a revision happens to be unpacked says nothing to anybody.
        problems = str(error).replace(f"{folder}/", "")
        raise VersionError(
            f"the declarations of {name} are wrong:\n{problems}"
        ) from None


@contextmanager
def _revision(revision: str, file: str) -> Generator[Path]:
    """Unpack a revision; give the folder in it that corresponds to the current one."""
    top, prefix = _repository(revision)
    if os.path.normpath(Path(prefix, file)).startswith(".."):
        raise VersionError(f"{file} is outside of the repository, and in no revision")
    commit = _resolve(revision)
    with TemporaryDirectory(prefix="keyslot-") as folder:
        command = ["git", "-C", top, "archive", "--format=tar", commit]
        problem = VersionError(f"git cannot give the files of {revision!r}")
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None  # it is a pipe
            try:
                unpack(process.stdout, Path(folder))
            except tarfile.TarError:
                raise problem from None
        if process.returncode:
            raise problem
        yield Path(folder, prefix)


def _repository(revision: str) -> tuple[str, str]:
    """Return the top of the repository, and where in it the current folder is."""
    if shutil.which("git") is None:
        raise VersionError(f"{revision!r} is no folder, and git is not installed")
    is_found, paths = _git("rev-parse", "--show-toplevel", "--show-prefix")
    if not is_found:
        raise VersionError(
            f"{revision!r} is no folder, and this folder is in no git repository"
        )
    top, _, prefix = paths.partition("\n")
    return top, prefix.rstrip("\n")


def _resolve(revision: str) -> str:
    """Return the commit that is meant."""
    asked = ("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    is_found, commit = _git("rev-parse", *asked)
    if not is_found:
        raise VersionError(f"there is no folder and no git revision {revision!r}")
    return commit.strip()


def _git(*arguments: str) -> tuple[bool, str]:
    """Return whether git did what it was asked, and what it printed: paths perhaps."""
    done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    return done.returncode == 0, os.fsdecode(done.stdout)


def unpack(stream: IO[bytes], folder: Path) -> None:
    """Write the plain files of an archive below a folder, and nothing elsewhere."""
    root = folder.resolve()
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            target = root.joinpath(*PurePosixPath(member.name).parts)
            content = archive.extractfile(member) if member.isreg() else None
            if content is None or not target.resolve().is_relative_to(root):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with naming(target), target.open("wb") as copy:
                shutil.copyfileobj(content, copy)
