"""Kernels that YAML names are imported at first use, or it is said why not."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from keyslot import errors

from .calling import a, reports, seen
from .codegen_cases import generate

PROJECT = {
    "pyproject.toml": """
[tool.keyslot]
namespace = "named"
schemas = ["ops.yaml"]
output = "named_ops"
[tool.keyslot.kernels]
NumPy = "named_kernels"
""",
    "ops.yaml": """
- func: gone(Tensor self) -> Tensor
  dispatch: {NumPy: "module_that_is_not_there:kernel"}
- func: absent(Tensor self) -> Tensor
  dispatch: {NumPy: absent}
- func: number(Tensor self) -> Tensor
  dispatch: {NumPy: number}
- func: bare(Tensor self) -> Tensor
  dispatch: {Meta: bare}
- func: good(Tensor self, int[2] n=1, float x=1, int[] dims=[0, 1]) -> Tensor
  dispatch: {NumPy: Nested.good}
- func: odd(Tensor type, Tensor MISSING, Tensor active, *, int from=2) -> Tensor
  dispatch: {NumPy: good}
""",
    "named_kernels.py": """
from tests.calling import seen as good
number = 3
class Nested:
    @staticmethod
    def good(self, n, x, dims):
        return good(self, n, x, dims)
""",
}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Generate a package of operators, some without the kernels that they name."""
    folder: Path = tmp_path_factory.mktemp("named")
    done = generate(folder, PROJECT)
    assert done.code == 0, done.said
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("named_ops")
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize(
    ("name", "reference", "key", "why"),
    [
        (
            "gone",
            "module_that_is_not_there:kernel",
            "NumPy",
            "ModuleNotFoundError: No module named 'module_that_is_not_there'",
        ),
        (
            "absent",
            "named_kernels:absent",
            "NumPy",
            "AttributeError: module 'named_kernels' has no attribute 'absent'",
        ),
        (
            "bare",
            "bare",
            "Meta",
            "no kernel module is configured for Meta; write 'module:bare' or name a"
            " module under [tool.keyslot.kernels]",
        ),
    ],
)
def test_kernel_that_cannot_be_imported(
    named: Any, name: str, reference: str, key: str, why: str
) -> None:
    """The error names operator, key, file and reason, on each call."""
    operator = getattr(named, name)
    calls: list[Callable[[], Any]] = [
        lambda: operator.default.at(key, a),
        lambda: getattr(operator.default, key),
    ]
    if key == "NumPy":
        calls += [lambda: operator(a), lambda: operator.default(a)]
    for call in calls * 2:
        with pytest.raises(errors.KernelImportError) as caught:
            call()
        assert str(caught.value) == (
            f"named::{name}: the kernel {reference!r} at {key} cannot be used\n"
            f"  declared in ops.yaml (named::{name})\n  {why}"
        )
        assert isinstance(caught.value, ImportError)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert operator.explain(a).op == f"named::{name}"


def test_kernel_that_cannot_be_called(named: Any) -> None:
    """A name that stands for something else than a function is told as such."""
    with pytest.raises(errors.NotAKernelError) as caught:
        named.number(a)
    assert str(caught.value) == (
        "a kernel must be callable; named_kernels:number is int"
    )


def test_kernel_that_is_mended(named: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the kernel is there, the next call finds it."""
    kernels = importlib.import_module("named_kernels")
    monkeypatch.setattr(kernels, "absent", reports("here"), raising=False)
    assert named.absent(a) == named.absent.default(a) == "here"


def test_form_of_arguments(named: Any) -> None:
    """Generated calls give kernels what calls of run-time operators give them."""
    expected = seen(a, (1, 1), 1.0, (0, 1))
    for call in (named.good, named.good.default):
        for _ in range(2):
            assert call(a) == expected
            assert call(a, 1) == expected
            assert call(self=a, x=1) == expected
    assert named.good.default.at("NumPy", a) == expected


def test_names_that_generated_code_uses_itself(named: Any) -> None:
    """Arguments may be named as what generated functions read, or as Python's words."""
    expected = seen(a, a, a, **{"from": 2})
    for call in (named.odd, named.odd.default):
        assert call(a, a, a) == expected
        assert call(type=a, MISSING=a, active=a) == expected
        assert call(a, a, active=a, **{"from": 2}) == expected
