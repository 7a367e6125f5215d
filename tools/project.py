"""The project that a command is about: its declarations, or its generated package."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..codegen.config import OWN_PACKAGE, Config, make_config
from ..codegen.options import FILE, has_options, read_options
from ..codegen.path_argument import path_argument
from ..codegen.problems import Problems
from .imports import import_named

if TYPE_CHECKING:
    from ..codegen.model import Operators


@dataclass(frozen=True, slots=True)
class Project:
    """A project that generates operators, read and checked."""

    config: Config
    #: The folder that paths in the configuration are relative to.
    root: Path
    operators: Operators
    #: What looks wrong to the generator but may be meant.
    warnings: Problems


def add_config_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--config``: which file describes the project."""
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=path_argument,
        help=f"read [tool.keyslot] of this, not of {FILE}",
    )


def add_package_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--package``: whose operators are meant."""
    parser.add_argument(
        "--package",
        metavar="NAME",
        help=f"the generated package; by default the one that {FILE} in this folder"
        f" names, or else {OWN_PACKAGE}",
    )


def add_source_url_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--source-url``: where pages link to."""
    parser.add_argument(
        "--source-url",
        metavar="URL",
        type=_web_address,
        help="where the files of the project can be seen; by default links to source"
        " are paths from page to file",
    )


def _web_address(text: str) -> str:
    """Return an address without the slash at its end; a browser may run others."""
    if not text.startswith(("https://", "http://")):
        raise argparse.ArgumentTypeError(f"{text!r} does not begin with https://")
    return text.rstrip("/")


def read_config(file: str | None) -> Config:
    """Return what ``[tool.keyslot]`` of a file says, pyproject.toml by default.

    Raises DeclarationError with everything that is wrong there.
    """
    problems = Problems()
    options = read_options(Path(file or FILE), problems)
    config = make_config(options, problems) if options is not None else None
    problems.raise_any()
    assert config is not None  # it is None only where there are problems
    return config


def read_project(file: str | None) -> Project:
    """Read the configuration and all declarations of a project.

    Raises DeclarationError with every problem of every file.
    """
    # Only here what takes time to import: a command line is parsed without it.
    from ..codegen.frontend import Findings, load_operators

    config = read_config(file)
    findings = Findings(Problems(), Problems())
    operators = load_operators(config, findings)
    findings.problems.raise_any()
    assert operators is not None  # it is None only where there are problems
    return Project(config, Path(file or FILE).parent, operators, findings.warnings)


def import_operators(package: str | None) -> Any:
    """Import a generated package, as it would be from the folder of the project.

    Raises ImportError where there is none of the name, and InputError where its code
    does not run.
    """
    name = package
    if name is None:
        name = read_config(None).package if has_options(Path(FILE)) else OWN_PACKAGE
    ensure_importable(Path())
    return import_named(name)


def ensure_importable(root: Path) -> None:
    """Let modules in a folder be imported, after all that can be imported already."""
    folder = str(root.resolve())
    if folder not in sys.path:
        sys.path.append(folder)
