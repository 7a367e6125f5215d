"""What the generator keeps in an output folder: a lock, and what makes runs fast.

Nothing depends on what is kept here. It may vanish at any time, and git ignores it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

CACHE: Final = ".keyslot-cache"
_IGNORE_ALL: Final = "*\n"


def write_cache(folder: Path, name: str, data: bytes) -> None:
    """Keep something that makes the next run faster, if there is room for it."""
    with suppress(OSError), locked(folder) as cache:
        # One name for all: what a killed run leaves here, the next one uses up.
        staged = cache / "new"
        staged.write_bytes(data)
        os.replace(staged, cache / name)


def read_cache(folder: Path, name: str) -> bytes | None:
    """Return what an earlier run kept."""
    try:
        return (folder / CACHE / name).read_bytes()
    except OSError:
        return None


@contextmanager
def locked(folder: Path) -> Generator[Path]:
    """Hold the lock of an output folder and give its cache.

    The system frees the lock if the run is killed.
    """
    cache = _make_cache(folder)
    with (cache / "lock").open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield cache


def _make_cache(folder: Path) -> Path:
    cache = folder / CACHE
    cache.mkdir(parents=True, exist_ok=True)
    ignore = cache / ".gitignore"
    if not ignore.exists() or ignore.read_text("utf-8") != _IGNORE_ALL:
        ignore.write_text(_IGNORE_ALL, encoding="utf-8")
    return cache
