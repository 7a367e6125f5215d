"""Replace one file: who reads it finds the old text or the new, never half of one."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Write a file beside its place, then put it there in one step.

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
