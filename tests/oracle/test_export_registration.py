"""Operators are in PyTorch when, and only when, they are asked for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch

from keyslot import errors
from keyslot.torch import export_operators

from .exporting import importable, make_project


@pytest.fixture
def other_ops(tmp_path: Path) -> Iterator[Any]:
    """Yield a package that exports one operator, not yet registered."""
    make_project(tmp_path, OTHER)
    with importable(tmp_path):
        yield import_module("other_ops")


OTHER = {
    "pyproject.toml": (
        '[tool.keyslot]\nnamespace = "other"\nschemas = ["ops.yaml"]\n'
        'output = "other_ops"\n'
    ),
    "ops.yaml": (
        "- func: twice(Tensor self) -> Tensor\n"
        "  dispatch: {NumPy: 'other_kernels:twice'}\n"
        "  torch: {shape: 'other_kernels:shape', backward: {self: grad * 2}}\n"
        "- func: half(Tensor self) -> Tensor\n"
        "  dispatch: {NumPy: 'other_kernels:half'}\n"
        "  torch: {shape: 'other_kernels:shape'}\n"
    ),
    "other_kernels.py": (
        "def twice(self):\n    return self * 2\n\n\n"
        "def half(self):\n    return self / 2\n\n\n"
        "def shape(self):\n    return self.shape\n"
    ),
}


def test_operator_is_there_while_registered(other_ops: Any) -> None:
    """Neither importing the package nor keyslot.torch registers; undoing removes."""
    assert not hasattr(torch.ops.other, "twice")
    with export_operators(other_ops):
        assert torch.ops.other.twice(torch.ones(2)).tolist() == [2.0, 2.0]
    assert not hasattr(torch.ops.other, "twice")
    with export_operators(other_ops):
        assert torch.ops.other.twice(torch.ones(2)).tolist() == [2.0, 2.0]


def test_asking_twice_is_asking_once(other_ops: Any) -> None:
    """The second call returns the registration that is in force."""
    with export_operators(other_ops) as first:
        assert export_operators(other_ops) is first
    assert not first.is_live
    with export_operators(other_ops) as second:
        assert second is not first


def test_clash_names_both_sites(other_ops: Any) -> None:
    """An operator that PyTorch has is not replaced, and nothing else is registered."""
    library = torch.library.Library("other", "FRAGMENT")
    library.define("twice(Tensor self) -> Tensor")
    with pytest.raises(errors.DuplicateOperatorError) as caught:
        export_operators(other_ops)
    library._destroy()
    assert caught.value.op == "other::twice"
    assert __file__ in caught.value.first
    assert __file__ in caught.value.second
    assert not hasattr(torch.ops.other, "half")
    with export_operators(other_ops):
        assert torch.ops.other.half(torch.ones(1)).item() == 0.5


def test_clash_of_two_packages_names_both(other_ops: Any, tmp_path: Path) -> None:
    """Two packages of one namespace cannot both have an operator in PyTorch."""
    text = OTHER["pyproject.toml"].replace("other_ops", "same_ops")
    make_project(tmp_path / "same", {**OTHER, "pyproject.toml": text})
    with importable(tmp_path / "same"):
        same_ops = import_module("same_ops")

        refused = pytest.raises(errors.DuplicateOperatorError)
        with export_operators(other_ops), refused as caught:
            export_operators(same_ops)
        assert "export_operators" in caught.value.first
        with export_operators(same_ops):
            assert torch.ops.other.twice(torch.ones(1)).item() == 2


def test_package_without_exports_says_what_to_write(tmp_path: Path) -> None:
    """A package whose YAML says nothing of PyTorch has nothing to register."""
    text = OTHER["ops.yaml"].split("  torch:")[0]
    make_project(tmp_path, {**OTHER, "ops.yaml": text})
    with importable(tmp_path):
        other_ops = import_module("other_ops")

        with pytest.raises(errors.NotExportedError) as caught:
            export_operators(other_ops)
    assert str(caught.value) == (
        "other_ops has no operators for PyTorch; write 'torch: true' into the YAML of"
        " each, or torch = true into [tool.keyslot], and run the generator"
    )


@pytest.mark.parametrize("given", ["other_ops", None, torch.sin])
def test_what_is_no_package_is_refused(given: Any) -> None:
    """A name, or an operator of a package, is not the package."""
    with pytest.raises(TypeError, match="takes a generated package, which is a module"):
        export_operators(given)


def test_function_that_is_not_there_is_found_by_the_call(
    other_ops: Any, tmp_path: Path
) -> None:
    """What YAML names is imported when it is first needed."""
    kernels = tmp_path / "other_kernels.py"
    kernels.write_text(kernels.read_text().replace("def shape", "def shaped"))
    with export_operators(other_ops):
        assert torch.ops.other.half(torch.ones(1)).item() == 0.5
        with pytest.raises(errors.KernelImportError) as caught:
            torch.ops.other.half(torch.ones(1, device="meta"))
    assert caught.value.key == "torch: shape"


def test_formula_calls_functions_of_torch(tmp_path: Path) -> None:
    """A function that PyTorch does not have is found when operators are registered."""
    text = OTHER["ops.yaml"].replace("grad * 2", "grad * twofold(self)")
    make_project(tmp_path, {**OTHER, "ops.yaml": text})
    with importable(tmp_path):
        other_ops = import_module("other_ops")

        with pytest.raises(errors.NoGradientError) as caught:
            export_operators(other_ops)
    assert "calls 'twofold', and torch has no such function" in str(caught.value)
    assert not hasattr(torch.ops.other, "twice")


def test_package_imports_no_torch(tmp_path: Path) -> None:
    """Neither the package nor a call of it loads PyTorch or the list for it."""
    make_project(tmp_path, OTHER)
    program = (
        "import sys, numpy, other_ops\n"
        "other_ops.twice(numpy.ones(2))\n"
        "print({'torch', 'other_ops.torch_ops'} & set(sys.modules))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_all_operators_of_a_namespace(tmp_path: Path) -> None:
    """With torch = true those are exported whose entry does not say otherwise."""
    config = OTHER["pyproject.toml"] + "torch = true\n"
    text = (
        "- func: twice(Tensor self) -> Tensor\n"
        "  dispatch: {NumPy: 'other_kernels:twice'}\n"
        "- func: half(Tensor self) -> Tensor\n"
        "  dispatch: {NumPy: 'other_kernels:half'}\n"
        "  torch: false\n"
    )
    make_project(tmp_path, {**OTHER, "pyproject.toml": config, "ops.yaml": text})
    with importable(tmp_path):
        other_ops = import_module("other_ops")

        with export_operators(other_ops):
            assert torch.ops.other.twice(torch.ones(1)).item() == 2
            assert not hasattr(torch.ops.other, "half")
