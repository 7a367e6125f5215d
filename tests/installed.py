"""keyslot laid out as it installs, for tools that read files and run no import hook."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def make_installed(folder: Path) -> None:
    """Make a folder in which type checkers find keyslot, by links to the repository."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        packages = tomllib.load(file)["tool"]["setuptools"]["package-dir"]
    home = folder / "keyslot"
    home.mkdir(parents=True)
    (home / "__init__.py").symlink_to(ROOT / packages.pop("keyslot") / "__init__.py")
    for name, source in packages.items():
        folder.joinpath(*name.split(".")).symlink_to(ROOT / source)
