"""Which package may import which: the layers, read from the source."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: For each package, the packages of ours that it may import besides itself.
LAYERS: dict[str, frozenset[str]] = {
    "runtime": frozenset(),
    "schemas": frozenset(),
    "generated": frozenset({"runtime"}),
    "codegen": frozenset({"runtime"}),
    "kernels": frozenset({"generated", "runtime"}),
    "transforms": frozenset({"generated", "kernels", "runtime"}),
    # Operators as PyTorch's own, whose rules are for transforms.
    "export": frozenset({"generated", "kernels", "runtime", "transforms"}),
    # Programs for people, above everything: they find operators by name, as users do.
    "tools": frozenset({"codegen", "runtime"}),
    # keyslot itself, whose file lies in runtime/toplevel/.
    "keyslot": frozenset({"export", "generated", "kernels", "runtime", "transforms"}),
}

#: What may be imported besides the standard library.
THIRD_PARTY: dict[str, frozenset[str]] = {
    "codegen": frozenset({"black", "jinja2", "rich", "yaml"}),
    "export": frozenset({"numpy", "torch"}),
    "kernels": frozenset({"numpy", "torch"}),
    "tools": frozenset({"jinja2", "rich", "yaml"}),
    "transforms": frozenset({"numpy", "optree", "sympy"}),
}


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the installed name and the file of every module, stubs too."""
    for package in LAYERS:
        for path in sorted((ROOT / package).rglob("*.py*")):
            if path.suffix not in (".py", ".pyi"):
                continue
            name = ".".join(("keyslot", *path.relative_to(ROOT).with_suffix("").parts))
            yield name.replace("keyslot.runtime.toplevel", "keyslot"), path


def layer(module: str) -> str:
    """Return the package of ours that a module belongs to."""
    _, package, *_ = [*module.removesuffix(".__init__").split("."), "keyslot"]
    return package if package in LAYERS else "keyslot"


def imports(module: str, path: Path) -> Iterator[str]:
    """Yield the absolute name of everything that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # `from ..runtime import errors` in keyslot.kernels.x: two names fall away.
            base = module.split(".")[: -node.level] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def test_every_package_has_a_layer() -> None:
    """A new package must say what it may import."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        folders = tomllib.load(file)["tool"]["setuptools"]["package-dir"]
    assert {layer(name) for name in folders} - set(LAYERS) == set()


@pytest.mark.parametrize(
    ("module", "path"), [pytest.param(*each, id=each[0]) for each in modules()]
)
def test_module_imports_only_what_its_layer_may(module: str, path: Path) -> None:
    """A package imports itself, the layers below it and what it is allowed besides."""
    home = layer(module)
    ours = LAYERS[home] | {home}
    others = sys.stdlib_module_names | THIRD_PARTY.get(home, frozenset())
    for name in imports(module, path):
        top = name.split(".")[0]
        if top == "keyslot":
            assert layer(name) in ours, f"{module} imports {name}"
        else:
            assert top in others, f"{module} imports {name}"


def test_model_of_the_generator_knows_no_text() -> None:
    """codegen.model reaches neither the YAML parser nor the templates."""
    files = dict(modules())
    if "keyslot.codegen.model" not in files:
        pytest.skip("there is no codegen/model.py yet")
    reached: set[str] = set()
    waiting = ["keyslot.codegen.model"]
    while waiting:
        module = waiting.pop()
        for name in {*imports(module, files[module])} - reached:
            reached.add(name)
            # The name of a module, or of something in a module.
            waiting += {name, name.rpartition(".")[0]} & files.keys()
    assert {name.split(".")[0] for name in reached} & {"jinja2", "yaml"} == set()


def test_few_folders_import_torch() -> None:
    """PyTorch is no dependency: only who asks for `keyslot.torch` needs it."""
    importing = {
        module
        for module, path in modules()
        if any(name.split(".")[0] == "torch" for name in imports(module, path))
    }
    assert importing
    folders = ("keyslot.kernels.torch.", "keyslot.export.")
    assert all(name.startswith(folders) for name in importing)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import os.path", ["os.path"]),
        ("from . import sibling", ["keyslot.kernels.numpy.sibling"]),
        ("from ...runtime.keys import K", ["keyslot.runtime.keys.K"]),
        ("if True:\n    from keyslot import a, b", ["keyslot.a", "keyslot.b"]),
    ],
)
def test_imports_are_read_as_python_reads_them(
    line: str, expected: list[str], tmp_path: Path
) -> None:
    """The reader of imports resolves relative ones, in functions and branches too."""
    path = tmp_path / "pointwise.py"
    path.write_text(line, "utf-8")
    assert list(imports("keyslot.kernels.numpy.pointwise", path)) == expected
