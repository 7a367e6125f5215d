"""Where this user's generated packages are kept that belong to no project.

Each lies in a folder of its own for every version of what it was generated from, and
for every generator: what another one wrote may not fit the runtime.
"""

from __future__ import annotations

import os
import sys
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

#: Names another folder than the system's.
VARIABLE: Final = "KEYSLOT_CACHE"
_SOURCES: Final = (".jinja", ".py")


def cached_package(distribution: str, package: str) -> Path:
    """Return the folder of a package generated from an installed distribution.

    Raises PackageNotFoundError where the distribution is not installed.
    """
    made_by = f"keyslot-{version('keyslot')}-{_generator()}"
    return _root() / f"{distribution}-{version(distribution)}" / made_by / package


def _generator() -> str:
    """Return a digest of the generator's sources, which need not be imported for it."""
    spec = find_spec(f"{__name__.partition('.')[0]}.codegen")
    if spec is None or spec.origin is None:
        return "none"
    sources = Path(spec.origin).parent.rglob("*")
    digest = blake2b(digest_size=6)
    for source in sorted(path for path in sources if path.suffix in _SOURCES):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _root() -> Path:
    """Return the folder of caches, by the rules of each system."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "keyslot" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "keyslot"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keyslot"
