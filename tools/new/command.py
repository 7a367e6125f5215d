"""The command ``keyslot new``: start a project with operators of its own."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution, version
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Final

from ...codegen.config import OWN_NAMESPACE
from ...codegen.ending import DONE
from ...codegen.outputs import naming
from ...codegen.path_argument import path_argument
from ...runtime.library import RESERVED
from ..inputs import InputError

#: The files of a project, and the template of each.
_FILES: Final[Mapping[str, str]] = {
    "README.md": "README.md",
    "pyproject.toml": "pyproject.toml",
    "noxfile.py": "noxfile.py",
    ".gitignore": "gitignore",
    "schemas/ops.yaml": "ops.yaml",
    "{name}/__init__.py": "init.py",
    "{name}/numpy_kernels.py": "numpy_kernels.py",
    "{name}/py.typed": "py.typed",
    "tests/test_ops.py": "test_ops.py",
}
#: What else is at the top of a project, where its package is to be, and what it needs.
_TAKEN: Final = ("nox", "noxfile", "numpy", "pytest", "schemas", "tests")
_DESCRIPTION: Final = """\
Start a project with operators of its own: two operators in YAML, a kernel, a test, and
a noxfile that generates, tests and checks. Nothing that is there is ever overwritten.
"""
_EPILOG: Final = """\
Ends with 0, with 2 when the input is wrong; then nothing is written.
"""
_NEXT: Final = """\
{folder}: {count} files written. Try next:

    {enter}nox -s codegen    # generate the operators of schemas/ops.yaml
    nox -s tests      # run the tests
    nox -s check      # find kernels that do not fit their schema
"""
#: nox makes environments of its own, for which pip looks for keyslot in an index alone.
_NOT_OF_AN_INDEX: Final = """
Where no package index has keyslot, make a wheel of it first, for pip to find. The one
that runs here was installed from {source}:

    python -m pip wheel --no-deps --wheel-dir dist {quoted}
    export PIP_FIND_LINKS="$PWD/dist"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=path_argument,
        help="a new folder, or an empty one",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="of the package and of the namespace; by default that of the folder, with"
        " _ for -",
    )


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    folder = Path(arguments.folder)
    name: str = arguments.name or folder.resolve().name.replace("-", "_")
    if reason := _why_not_named(name) or _why_not_in(folder):
        raise InputError(reason)
    files = _render(name)
    _write(folder, files)
    here = folder.resolve() == Path.cwd()
    enter = "" if here else f"cd {shlex.quote(str(folder))}\n    "
    print(_NEXT.format(folder=folder, count=len(files), enter=enter), end="")
    if source := _direct_source():
        print(
            _NOT_OF_AN_INDEX.format(source=source, quoted=shlex.quote(source)), end=""
        )
    return DONE


def _direct_source() -> str:
    """Return the address that keyslot was installed from; empty if by an index.

    What pip records of it: https://packaging.python.org/specifications/direct-url/
    """
    recorded = distribution("keyslot").read_text("direct_url.json")
    if recorded is None:
        return ""
    facts = json.loads(recorded)
    url: str = facts["url"]
    return f"{facts['vcs_info']['vcs']}+{url}" if "vcs_info" in facts else url


def _why_not_named(name: str) -> str:
    """Return why no package or no namespace can have a name, or an empty string."""
    if not (name.isascii() and name.isidentifier()) or name.strip("_") != name:
        why = "is no name of a package: use letters, digits, and _ between them"
    elif iskeyword(name):
        why = "is a keyword of Python"
    elif name == OWN_NAMESPACE:
        why = "is the namespace of keyslot's own operators"
    elif name in RESERVED:
        why = "is a reserved namespace"
    elif name in _TAKEN:
        why = "is the name of something else that the project has or needs"
    elif _is_importable(name):
        why = "is a module that is installed here, which the package would hide"
    else:
        return ""
    return f"{name!r} {why}; choose another with --name."


def _is_importable(name: str) -> bool:
    """Whether there is such a module; a folder without modules is none."""
    if name in sys.stdlib_module_names:
        return True
    spec = find_spec(name)
    return spec is not None and spec.origin is not None


def _why_not_in(folder: Path) -> str:
    """Return why no project can be started in a folder, or an empty string."""
    if folder.is_dir():
        empty = next(folder.iterdir(), None) is None
        return "" if empty else f"{folder} is not empty; nothing was written."
    there = folder.exists() or folder.is_symlink()
    return f"{folder} is there and is no folder." if there else ""


def _render(name: str) -> dict[str, str]:
    """Return the text of every file, by its path in the project."""
    # Only here what takes time to import.
    from jinja2 import PackageLoader

    from ...codegen.render import make_environment

    loader = PackageLoader(__package__ or "", "templates")
    templates = make_environment(loader, autoescape=False)
    facts = {
        "name": name,
        "distribution": name.replace("_", "-"),
        "keyslot_version": version("keyslot"),
    }
    files: dict[str, str] = {}
    for path, source in _FILES.items():
        template = templates.get_template(f"{source}.jinja")
        files[path.format(name=name)] = template.render(facts)
    return files


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files, or leave nothing behind.

    Raises OSError, also where a file has come to be there meanwhile.
    """
    made: list[Path] = []
    try:
        for name, text in files.items():
            path = folder / name
            for parent in _missing_parents(path):
                parent.mkdir()
                made.append(parent)
            with naming(path), path.open("x", encoding="utf-8", newline="\n") as file:
                made.append(path)
                file.write(text)
    except BaseException:
        for path in reversed(made):
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink()
        raise


def _missing_parents(path: Path) -> Iterator[Path]:
    """Yield the folders that have to be made for a file, the outermost first."""
    yield from reversed([parent for parent in path.parents if not parent.exists()])
