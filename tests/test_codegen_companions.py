"""The texts of operators: those of YAML, and those that follow from companions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .codegen_cases import generate

OPS = """\
- func: scale.Scalar(Tensor self, Scalar by) -> Tensor
  doc: Multiply by a number.
- func: scale_.Scalar(Tensor(a!) self, Scalar by) -> Tensor(a!)
- func: scale.Scalar_out(Tensor self, Scalar by, *, Tensor(a!) out) -> Tensor(a!)
- func: extremes(Tensor self) -> (Tensor low, Tensor high)
  autogen: extremes.out
  dispatch: {NumPy: numpy:copy}
  doc: Find the lowest and the highest element.
- func: extremes.to(Tensor self, *, Tensor(a!) low, Tensor(b!) high)
    -> (Tensor(a!) low, Tensor(b!) high)
- func: clear_(Tensor(a!) self) -> Tensor(a!)
  autogen: clear, clear.out
  dispatch: {NumPy: numpy:copy}
  doc: Make all elements 0.
- func: forget_(Tensor(a!) self) -> Tensor(a!)
  autogen: forget
  dispatch: {NumPy: numpy:copy}
- func: double_all_(Tensor(a!)[] self) -> ()
- func: double_all(Tensor[] self) -> Tensor[]
- func: lonely.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
- func: plain(Tensor self) -> Tensor
- func: told(Tensor self) -> Tensor
- func: told.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  doc: What it says here.
"""

TEXTS = {
    "Overload_scale_Scalar": "Multiply by a number.",
    "Overload_scale__Scalar": (
        "Do what `scale.Scalar` does, in place: write the result to `self`"
        " and return it."
    ),
    "Overload_scale_Scalar_out": (
        "Do what `scale.Scalar` does, but write the result to `out` and return `out`."
    ),
    "scale": "Multiply by a number.",
    "scale_": (
        "Do what `scale.Scalar` does, in place: write the result to `self`"
        " and return it."
    ),
    "Overload_extremes_to": (
        "Do what `extremes` does, but write the results to `low` and `high`"
        " and return them."
    ),
    "Overload_extremes_out": (
        "Do what `extremes` does, but write the results to `out0` and `out1`"
        " and return them."
    ),
    "extremes": "Find the lowest and the highest element.",
    "Overload_clear_default": (
        "Do what `clear_` does, but leave `self` unchanged and return what would be"
        " written."
    ),
    "Overload_clear_out": (
        "Do what `clear` does, but write the result to `out` and return `out`."
    ),
    "Overload_clear__default": "Make all elements 0.",
    "Overload_forget_default": "",
    "Overload_forget__default": (
        "Do what `forget` does, in place: write the result to `self` and return it."
    ),
    "Overload_double_all__default": (
        "Do what `double_all` does, in place: write the results to `self`."
    ),
    "Overload_lonely_out": "",
    "lonely": "The operator demo::lonely.",
    "plain": "The operator demo::plain.",
    "Overload_told_out": "What it says here.",
    "told": "The operator demo::told.",
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the docstrings of the generated classes and functions, without schemas."""
    folder: Path = tmp_path_factory.mktemp("project")
    run = generate(folder, {"ops.yaml": OPS})
    assert run.code == 0, run.said
    made: dict[str, str] = {}
    for path in (folder / "demo_ops" / "ops").glob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                made[node.name] = (ast.get_docstring(node) or "").partition("\n\n")[2]
            elif isinstance(node, ast.FunctionDef):
                made[node.name] = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return made


@pytest.mark.parametrize("name", TEXTS)
def test_text_of(name: str, texts: dict[str, str]) -> None:
    """What YAML says stands as it is; what it leaves out names the companion."""
    assert texts[name] == TEXTS[name]
