"""Operator functions: whatever branch a call takes, it means the right overload."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from keyslot import explain

from .codegen_cases import generate

X = np.ones(2)
PROJECT = {
    "pyproject.toml": """
[tool.keyslot]
namespace = "branches"
schemas = ["ops.yaml"]
output = "branch_ops"
kernels = {NumPy = "branch_kernels"}
""",
    "ops.yaml": """
- func: thin.size(Tensor self, int size) -> Tensor
  dispatch: {NumPy: size}
- func: thin(Tensor self, *, str? layout=None, str? block=None, int? dim=None) -> Tensor
  dispatch: {NumPy: default}
- func: all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
  dispatch: {NumPy: dims}
- func: all(Tensor self) -> Tensor
  dispatch: {NumPy: default}
- func: pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor
  dispatch: {NumPy: rcond}
- func: pinv.tol(Tensor self, *, float? tol=None, bool hermitian=False) -> Tensor
  dispatch: {NumPy: tol}
- func: loss(Tensor self, int reduction=Mean) -> Tensor
  dispatch: {NumPy: loss}
""",
    "branch_kernels.py": """
def size(self, size): return "size", size
def default(self, **named): return "default", *named.values()
def dims(self, dim, keepdim): return "dims", dim, keepdim
def rcond(self, rcond, hermitian): return "rcond", rcond, hermitian
def tol(self, *, tol, hermitian): return "tol", tol, hermitian
def loss(self, reduction): return "loss", reduction
""",
}


@pytest.fixture(scope="module")
def branches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Generate operators whose overloads only resolution can tell apart."""
    folder: Path = tmp_path_factory.mktemp("branches")
    done = generate(folder, PROJECT)
    assert done.code == 0, done.said
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("branch_ops")
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "reached"),
    [
        ("thin", (), {}, ("default", None, None, None)),
        ("thin", (3,), {}, ("size", 3)),
        ("thin", (), {"dim": 1}, ("default", None, None, 1)),
        ("all", (), {}, ("dims", None, False)),
        ("all", (), {"keepdim": True}, ("dims", None, True)),
        ("pinv", (), {}, ("tol", None, False)),
        ("pinv", (), {"hermitian": True}, ("tol", None, True)),
        ("pinv", (0.5,), {}, ("rcond", 0.5, False)),
        ("pinv", (), {"rcond": 0.5, "hermitian": True}, ("rcond", 0.5, True)),
        ("loss", (), {}, ("loss", 1)),
        ("loss", (2,), {}, ("loss", 2)),
    ],
)
def test_call_means_the_overload_that_explain_names(
    branches: Any, name: str, args: Any, kwargs: dict[str, Any], reached: object
) -> None:
    """Arguments left away may belong to either of two overloads; types then decide."""
    operator = getattr(branches, name)
    for _ in range(2):
        assert operator(X, *args, **kwargs) == reached
    op = explain(operator, X, *args, **kwargs).op
    assert getattr(operator, op.partition(".")[2] or "default")(X, *args, **kwargs) == (
        reached
    )
