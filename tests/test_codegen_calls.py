"""Generated functions pass every call to the overload it means, arguments in place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from .codegen_cases import generate

OPS = """\
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  dispatch: {NumPy: "recording:add_tensor"}
- func: add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
  dispatch: {NumPy: "recording:add_scalar"}
- func: "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out)
    -> Tensor(a!)"
  dispatch: {NumPy: "recording:add_out"}
- func: sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
  dispatch: {NumPy: "recording:sum_all"}
- func: "sum.dim(Tensor self, int[1]? dim, bool keepdim=False, *,
    ScalarType? dtype=None) -> Tensor"
  dispatch: {NumPy: "recording:sum_dim"}
- func: fill_.range(Tensor(a!) self, int from, int? to=None) -> Tensor(a!)
  dispatch: {NumPy: "recording:fill_range"}
- func: pick.int(Tensor self, int index=0, *, str mode="first") -> Tensor
  dispatch: {NumPy: "recording:pick_int"}
- func: "pick.list(Tensor self, int[] indices, *, str mode='last', bool wrap=False)
    -> Tensor"
  dispatch: {NumPy: "recording:pick_list"}
- func: "spread.over(Tensor self, int[1]? dim, bool unbiased=True, *,
    Scalar? weight=None) -> Tensor"
  dispatch: {NumPy: "recording:spread_over"}
- func: "spread.by(Tensor self, int[1]? dim=None, *, Scalar? weight=None) -> Tensor"
  dispatch: {NumPy: "recording:spread_by"}
"""

#: A module of kernels that give back their name and their arguments.
KERNELS = """\
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *args, **kwargs: (name, args[1:], kwargs)
"""

X = np.arange(3)
Y = np.arange(3)
FLOATS = np.ones(3)


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield the package of the operators above, with kernels that record."""
    folder = tmp_path_factory.mktemp("calls")
    run = generate(folder, {"ops.yaml": OPS, "recording.py": KERNELS})
    assert run.code == 0, run.said
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(folder), *sys.path])
        yield import_module("demo_ops")
    for name in [
        n for n in sys.modules if n.split(".")[0] in ("demo_ops", "recording")
    ]:
        del sys.modules[name]


def call(ops: Any, text: str) -> Any:
    """Return what a call gives, written as its user would write it."""
    return eval(text, {"ops": ops, "x": X, "y": Y, "f": FLOATS, "float64": np.float64})


CALLS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "ops.add(x, y)": ("add_tensor", (Y,), {"alpha": 1}),
    "ops.add(x, f)": ("add_tensor", (FLOATS,), {"alpha": 1}),
    "ops.add(x, y, alpha=2)": ("add_tensor", (Y,), {"alpha": 2}),
    "ops.add(x, other=y, alpha=2.5)": ("add_tensor", (Y,), {"alpha": 2.5}),
    "ops.add(other=y, self=x)": ("add_tensor", (Y,), {"alpha": 1}),
    "ops.add(x, 2)": ("add_scalar", (2, 1), {}),
    "ops.add(x, 2, 3)": ("add_scalar", (2, 3), {}),
    "ops.add(x, 2, alpha=3)": ("add_scalar", (2, 3), {}),
    "ops.add(x, y, out=f)": ("add_out", (Y,), {"alpha": 1, "out": FLOATS}),
    "ops.add(x, y, alpha=3, out=f)": ("add_out", (Y,), {"alpha": 3, "out": FLOATS}),
    "ops.add.Scalar(x, 2)": ("add_scalar", (2, 1), {}),
    "ops.sum(x)": ("sum_all", (), {"dtype": None}),
    "ops.sum(x, 0)": ("sum_dim", ((0,), False), {"dtype": None}),
    "ops.sum(x, [0, 1], True)": ("sum_dim", ([0, 1], True), {"dtype": None}),
    "ops.sum(x, None)": ("sum_dim", (None, False), {"dtype": None}),
    "ops.sum(x, dim=0, keepdim=True)": ("sum_dim", ((0,), True), {"dtype": None}),
    "ops.sum(x, keepdim=True, dim=None)": ("sum_dim", (None, True), {"dtype": None}),
    "ops.fill_(x, 1)": ("fill_range", (1, None), {}),
    "ops.fill_(x, 1, 5)": ("fill_range", (1, 5), {}),
    "ops.fill_(x, to=5, **{'from': 1})": ("fill_range", (1, 5), {}),
    "ops.pick(x)": ("pick_int", (0,), {"mode": "first"}),
    "ops.pick(x, 1)": ("pick_int", (1,), {"mode": "first"}),
    "ops.pick(x, index=2, mode='m')": ("pick_int", (2,), {"mode": "m"}),
    "ops.pick(x, [1, 2])": ("pick_list", ([1, 2],), {"mode": "last", "wrap": False}),
    "ops.pick(x, indices=[1])": ("pick_list", ([1],), {"mode": "last", "wrap": False}),
    "ops.pick(x, [1], wrap=True)": (
        "pick_list",
        ([1],),
        {"mode": "last", "wrap": True},
    ),
}


@pytest.mark.parametrize("text", CALLS)
def test_call_reaches_the_overload_it_means(ops: Any, text: str) -> None:
    """The kernel of the right overload gets every argument where its schema has it."""
    name, args, kwargs = CALLS[text]
    for _ in range(2):  # the second call finds the handler in a cache
        got_name, got_args, got_kwargs = call(ops, text)
        assert (got_name, len(got_args)) == (name, len(args))
        assert all(a is b or a == b for a, b in zip(got_args, args, strict=True))
        assert got_kwargs.keys() == kwargs.keys()
        assert all(
            got_kwargs[key] is kwargs[key] or got_kwargs[key] == kwargs[key]
            for key in kwargs
        )


@pytest.mark.parametrize(
    "text",
    [
        "ops.add(x)",
        "ops.add(x, y, z=1)",
        "ops.add(x, y, 1, 2)",
        "ops.sum(x, keepdim=True)",
        "ops.sum(x, 0, True, None)",
        "ops.sum()",
        "ops.fill_(x)",
        "ops.pick(x, 1, wrap=True)",
        "ops.pick(x, index=1, indices=[1])",
    ],
)
def test_call_that_means_no_overload_is_refused(ops: Any, text: str) -> None:
    """A call that no overload takes is a TypeError, and not another overload's call."""
    with pytest.raises(TypeError):
        call(ops, text)


def test_a_refusal_does_not_take_what_was_named_for_positional(ops: Any) -> None:
    """Behind an argument that is not given, all others were given by name."""
    with pytest.raises(TypeError) as caught:
        ops.spread(X, unbiased=False)
    reasons = [line.strip() for line in str(caught.value).splitlines()[2::2]]
    assert reasons == ["missing argument 'dim'", "has no argument 'unbiased'"]
