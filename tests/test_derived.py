"""Derived operators: what ``autogen`` asks for works on every backend."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from keyslot import errors, ops

from .codegen_cases import generate

OPS: Any = ops
PROJECT = {
    "pyproject.toml": """
[tool.keyslot]
namespace = "derived"
schemas = ["ops.yaml"]
output = "derived_ops"
kernels = {NumPy = "derived_kernels"}
""",
    "ops.yaml": """
- func: fill_(Tensor(a!) self, Scalar value) -> Tensor(a!)
  dispatch: {NumPy: fill_}
  autogen: fill, fill.out
- func: count(Tensor x, Tensor(a!) counts) -> Tensor
  dispatch: {NumPy: count}
  autogen: count_functional, count.out
- func: halves(Tensor x) -> (Tensor, Tensor)
  dispatch: {NumPy: halves}
  autogen: halves.out
- func: pieces(Tensor x) -> Tensor[]
  dispatch: {NumPy: pieces}
  autogen: pieces.out
""",
    "derived_kernels.py": """
def fill_(self, value):
    self[...] = value
    return self
def count(x, counts):
    counts += 1
    return x * 2
def halves(x):
    return x[: len(x) // 2].copy(), x[len(x) // 2 :].copy()
def pieces(x):
    return [x[:1].copy(), x[1:].copy()]
""",
}


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Generate a package of operators that others are derived from."""
    folder: Path = tmp_path_factory.mktemp("derived")
    done = generate(folder, PROJECT)
    assert done.code == 0, done.said
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("derived_ops")
    finally:
        sys.path.remove(str(folder))


def zeros(size: int = 4) -> Any:
    """Return an array to write to."""
    return np.zeros(size)


def test_functional_of_an_inplace_operator_leaves_its_argument(derived: Any) -> None:
    """It changes a copy and returns that."""
    x = zeros()
    assert derived.fill(x, 3).tolist() == [3.0] * 4
    assert x.tolist() == [0.0] * 4


def test_out_of_an_inplace_operator_writes_to_out(derived: Any) -> None:
    """The argument stays as it is, ``out`` is written and returned."""
    x, out = zeros(), np.ones(4)
    assert derived.fill(x, 3, out=out) is out
    assert (out.tolist(), x.tolist()) == ([3.0] * 4, [0.0] * 4)


def test_functional_of_a_mutable_operator_returns_what_changed(derived: Any) -> None:
    """Results first, then each argument that the operator would have changed."""
    counts = zeros(1)
    doubled, counted = derived.count_functional(np.ones(2), counts)
    assert (doubled.tolist(), counted.tolist(), counts.tolist()) == ([2, 2], [1], [0])


def test_out_of_a_mutable_operator_still_changes_its_argument(derived: Any) -> None:
    """Only the results go to ``out``."""
    counts, out = zeros(1), zeros(2)
    assert derived.count(np.ones(2), counts, out=out) is out
    assert (out.tolist(), counts.tolist()) == ([2, 2], [1])


def test_several_results_go_to_several_arrays(derived: Any) -> None:
    """Each result has an array of its own; all of them are returned."""
    outs = zeros(2), zeros(2)
    result = derived.halves(np.arange(4.0), out0=outs[0], out1=outs[1])
    assert all(got is out for got, out in zip(result, outs, strict=True))
    assert [out.tolist() for out in outs] == [[0, 1], [2, 3]]


def test_list_of_results_goes_to_a_list_of_arrays(derived: Any) -> None:
    """The items of ``out`` are written, and nothing is returned."""
    outs = [zeros(1), zeros(3)]
    assert derived.pieces(np.arange(4.0), out=outs) is None
    assert [out.tolist() for out in outs] == [[0], [1, 2, 3]]


def test_out_of_another_shape_is_refused(derived: Any) -> None:
    """An array given to be written is not resized, and stays as it is."""
    out = np.ones(3)
    with pytest.raises(errors.OutShapeError) as caught:
        derived.fill(zeros(), 3, out=out)
    assert str(caught.value) == (
        "derived::fill.out: out has shape (3,), the result has shape (4,); an array"
        " given to be written is not resized."
    )
    assert out.tolist() == [1.0] * 3


def test_out_of_another_dtype_is_refused(derived: Any) -> None:
    """It needs the dtype of the result; where one does not fit none is written."""
    outs = np.ones(2), np.ones(2, "float32")
    with pytest.raises(errors.DtypeError) as caught:
        derived.halves(zeros(), out0=outs[0], out1=outs[1])
    assert str(caught.value) == (
        "derived::halves.out: out1 has dtype float32, the result has dtype float64"
    )
    assert [out.tolist() for out in outs] == [[1, 1], [1, 1]]


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64"])
def test_out_decides_the_dtype_where_the_operator_takes_one(dtype: str) -> None:
    """The schema of `out` has no dtype, for the array has it."""
    x, out = np.array([0.5, 1.5]), np.zeros(2, dtype)
    assert OPS.full_like(x, 1, out=out) is out
    assert out.tolist() == [1, 1]
    assert OPS.zeros_like(x, out=out).tolist() == [0, 0]
    assert OPS._to_copy(x, out=out).tolist() == x.astype(dtype).tolist()


@pytest.mark.parametrize(
    ("operator", "args", "expected"),
    [
        (OPS.add, (2,), [2, 3, 4, 5]),
        (OPS.mul, (2.5,), [0, 2.5, 5, 7.5]),
        (OPS.zeros_like, (), [0, 0, 0, 0]),
    ],
)
def test_shipped_ones(operator: Any, args: tuple[Any, ...], expected: object) -> None:
    """The derived operators that come with keyslot write to ``out`` and return it."""
    out = np.ones(4)
    assert operator(np.arange(4.0), *args, out=out) is out
    assert out.tolist() == expected


def test_branch_without_out_comes_after_one_that_has_it() -> None:
    """An operator with more arguments than its ``out`` variant is told from it."""
    x = np.ones(2, dtype="int8")
    assert OPS.zeros_like(x).dtype == "int8"
    assert OPS.zeros_like(x, dtype="float64").dtype == "float64"
    with pytest.raises(errors.OverloadError):
        OPS.zeros_like(x, dtype="float64", out=x)
