"""The distribution: its public names, its files, and one copy of everything."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module, resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import keyslot

ROOT = Path(__file__).parent.parent
GENERATED = sorted(
    path for path in (ROOT / "generated").rglob("*.py*") if path.suffix != ".pyc"
)


def setuptools_settings() -> dict[str, Any]:
    """Return how pyproject.toml maps folders to packages."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings: dict[str, Any] = tomllib.load(file)["tool"]["setuptools"]
    return settings


FOLDERS: dict[str, str] = setuptools_settings()["package-dir"]


def run_python(code: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a line of code in a new process, with its folder first on sys.path."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


# --- public names ---------------------------------------------------------------------


def test_public_names_are_sorted() -> None:
    """``__all__`` and ``dir`` list the public names in order."""
    assert sorted(keyslot.__all__) == keyslot.__all__ == dir(keyslot)


@pytest.mark.parametrize("name", keyslot.__all__)
def test_public_name_can_be_imported(name: str) -> None:
    """Every public name is there when it is asked for, and is the same every time."""
    assert getattr(keyslot, name) is getattr(keyslot, name)


def test_version_is_that_of_the_distribution() -> None:
    """``keyslot.__version__`` is what is installed, found out when it is asked for."""
    assert keyslot.__version__ == version("keyslot")
    program = "import keyslot, sys; print('importlib.metadata' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_type_checkers_see_the_public_names() -> None:
    """What is imported for type checkers is what is loaded at run time."""
    source = Path(str(keyslot.__file__)).read_text("utf-8")
    (block,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    shown = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(shown) == keyslot.__all__
    for name, origin in shown.items():
        module, _, attribute = origin.rpartition(".")
        assert getattr(import_module(module), attribute) is getattr(keyslot, name)


def test_unknown_name_is_an_attribute_error() -> None:
    """A name that keyslot does not have fails as it does in any module."""
    with pytest.raises(AttributeError) as failure:
        getattr(keyslot, "nothing")  # noqa: B009 - type checkers know that it fails
    assert str(failure.value) == "module 'keyslot' has no attribute 'nothing'"


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import keyslot", r"numpy|keyslot\..*"),
        ("from keyslot import ops", r"numpy|inspect|dataclasses|keyslot\.kernels.*"),
    ],
)
def test_import_loads_little(code: str, absent: str) -> None:
    """Importing keyslot loads nothing else; its operators load no kernel or NumPy."""
    done = run_python(f"{code}; import sys; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert [name for name in loaded if re.fullmatch(absent, name)] == []


# --- one copy of everything -----------------------------------------------------------


@pytest.mark.parametrize("package", [*FOLDERS, "keyslot.runtime.toplevel"])
def test_folder_imports_by_its_installed_name_alone(package: str) -> None:
    """A bare ``import runtime``, at the root of the repository, is no second copy."""
    bare = FOLDERS.get(package, package).replace("/", ".")
    message = run_python(f"import {bare}").stderr.splitlines()[-1]
    # In a wheel, where it is not a folder of runtime, the last one is not there at all.
    assert message.startswith("ImportError: import keyslot") or (
        message == "ModuleNotFoundError: No module named 'keyslot.runtime.toplevel'"
    )


def test_root_of_the_repository_changes_nothing(tmp_path: Path) -> None:
    """The same files are imported from the root of the repository as from elsewhere."""
    names = [*FOLDERS, "keyslot.runtime.errors"]
    files = ", ".join(f"{name}.__file__" for name in names)
    code = f"import {', '.join(names)}; print({files})"
    here, elsewhere = run_python(code), run_python(code, tmp_path)
    assert (here.stderr, elsewhere.stderr) == ("", "")
    assert here.stdout == elsewhere.stdout


def test_script_is_installed() -> None:
    """The command ``keyslot`` is the generator's ``main``."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        scripts = tomllib.load(file)["project"]["scripts"]
    module, _, function = scripts["keyslot"].partition(":")
    assert callable(getattr(import_module(module), function))


# --- files ----------------------------------------------------------------------------


def test_every_folder_with_modules_is_packaged() -> None:
    """A new folder of modules must be named in pyproject.toml, or wheels lack it."""
    expected = set(FOLDERS)
    for name, folder in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            inside = path.parent.relative_to(ROOT / folder).parts
            if inside != ("toplevel",):
                expected.add(".".join((name, *inside)))
    assert sorted(expected) == sorted(setuptools_settings()["packages"])


@pytest.mark.parametrize("package", FOLDERS)
def test_package_is_typed(package: str) -> None:
    """Each package is marked as typed, and the marker is installed."""
    assert resources.files(package).joinpath("py.typed").is_file()


@pytest.mark.parametrize(
    "resource", ["codegen/templates", "schemas/keys.yaml", "schemas/torch/keys.yaml"]
)
def test_data_is_installed(resource: str) -> None:
    """Templates and declarations are found beside the modules that read them."""
    package, _, name = resource.partition("/")
    found = resources.files(f"keyslot.{package}").joinpath(name)
    assert found.is_file() or [*found.iterdir()]


#: Folders whose README lists the modules.
LISTED = [
    "codegen",
    "export",
    "kernels",
    "kernels/shapes",
    "kernels/torch",
    "runtime",
    "tools",
    "transforms",
]


def is_listed_within(path: Path, package: str) -> bool:
    """Whether a module is listed in a README of its own, inside of the package."""
    within = [other for other in LISTED if other.startswith(f"{package}/")]
    return any(path.is_relative_to(ROOT / other) for other in within)


@pytest.mark.parametrize("package", LISTED)
def test_readme_lists_every_module(package: str) -> None:
    """A package's README has one line for each module: "- `name.py`: what it is"."""
    folder = ROOT / package
    readme = (folder / "README.md").read_text("utf-8")
    listed = re.findall(r"^[-|] `([\w/]+\.py)`", readme, re.MULTILINE)
    there = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if path.name != "__init__.py" and not is_listed_within(path, package)
    ]
    assert sorted(listed) == sorted(there)


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_generated_file_says_where_it_comes_from(path: Path) -> None:
    """Two lines on top: what it was made from, and the command that makes it again."""
    first, second, *_ = path.read_text("utf-8").splitlines()
    assert re.fullmatch(
        r"# Generated by \S.* from \S.*\. Do not edit\. @generated", first
    )
    assert re.fullmatch(r"# To update: \S.*", second)


def test_generated_files_are_marked() -> None:
    """Git knows generated files, and no others, as such."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    paths = [
        path.relative_to(ROOT).as_posix()
        for folder in FOLDERS.values()
        for path in (ROOT / folder).rglob("*.py*")
        if path.suffix != ".pyc"
    ]
    done = subprocess.run(
        ["git", "check-attr", "linguist-generated", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    marked = {line.split(":")[0] for line in done.stdout.splitlines() if "true" in line}
    assert marked == {path for path in paths if path.startswith("generated/")}
