"""A kernel of NumPy's that returns other things than its schema says is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest
import torch

from keyslot.torch import export_operators

from .exporting import importable, make_project

WRONG_OPS = {
    "pyproject.toml": (
        '[tool.keyslot]\nnamespace = "wrong"\nschemas = ["ops.yaml"]\n'
        'output = "wrong_ops"\ntorch = true\n'
    ),
    "ops.yaml": (
        "- func: one(Tensor a, str kind) -> Tensor\n"
        "  dispatch: {NumPy: 'wrong_kernels:one'}\n"
        "- func: two(Tensor a) -> (Tensor, Tensor)\n"
        "  dispatch: {NumPy: 'wrong_kernels:two'}\n"
        "- func: many(Tensor a) -> Tensor[]\n"
        "  dispatch: {NumPy: 'wrong_kernels:many'}\n"
    ),
    "wrong_kernels.py": (
        "import numpy as np\n\n\n"
        "def one(a, kind):\n"
        "    objects = np.array([object()])\n"
        "    long = a.astype(np.longdouble)\n"
        "    made = {'text': 'x', 'pair': (a, a), 'objects': objects, 'long': long}\n"
        "    return made.get(kind)\n\n\n"
        "def two(a):\n    return [a, a, a]\n\n\n"
        "def many(a):\n    return a + 1\n"
    ),
}


@pytest.fixture(scope="module", autouse=True)
def wrong_ops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Yield a package whose kernels return other things than its schemas say."""
    folder = tmp_path_factory.mktemp("wrong")
    make_project(folder, WRONG_OPS)
    with importable(folder):
        package = import_module("wrong_ops")
        with export_operators(package):
            yield package


WRONG = {
    "none": "has to return an array, and returned NoneType",
    "text": "has to return an array, and returned str",
    "pair": "has to return an array, and returned 2 in a tuple",
    "objects": "returned numpy.ndarray of dtype object, which PyTorch does not have",
    "long": f"returned numpy.ndarray of dtype {np.dtype(np.longdouble)}, which",
}


@pytest.mark.parametrize("kind", WRONG)
def test_another_result_is_refused(kind: str) -> None:
    """A kernel that returns something else is named, with what it returned."""
    with pytest.raises(TypeError) as caught:
        torch.ops.wrong.one(torch.ones(2), kind)
    assert "wrong::one" in str(caught.value)
    assert WRONG[kind] in str(caught.value)


@pytest.mark.parametrize(
    ("operator", "says"),
    [
        ("two", "has to return a tuple of 2 results, and returned 3 in a list"),
        ("many", "has to return a list of arrays, and returned ndarray"),
    ],
)
def test_other_number_of_results_is_refused(operator: str, says: str) -> None:
    """As many results as the schema has, and a list where it has a list."""
    with pytest.raises(TypeError, match=says):
        getattr(torch.ops.wrong, operator)(torch.ones(2))
