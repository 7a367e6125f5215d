"""Where this user's generated packages are kept that belong to no project.

Each lies in a folder of its own for every version of what it was generated from.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

#: Names another folder than the system's.
VARIABLE: Final = "KEYSLOT_CACHE"


def cached_package(distribution: str, package: str) -> Path:
    """Return the folder of a package generated from an installed distribution.

    Raises PackageNotFoundError where the distribution is not installed.
    """
    made_by = f"keyslot-{version('keyslot')}"
    return _root() / f"{distribution}-{version(distribution)}" / made_by / package


def _root() -> Path:
    """Return the folder of caches, by the rules of each system."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "keyslot" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "keyslot"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keyslot"
