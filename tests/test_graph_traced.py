"""Graphs of traced functions: each way to run one, in every mode of tracing."""

from __future__ import annotations

from typing import Any

import numpy as np
import optree
import pytest

from keyslot import Library, Tensor, ops
from keyslot.runtime.errors import GraphInputError
from keyslot.transforms import MetaTensor, grad, jvp, make_fx, vmap

from .graph_building import executed

SHIFT = np.arange(3.0)
WEIGHTS = {"w": np.full((4, 3), 0.5), "b": Tensor(np.ones(3))}
X = np.arange(12.0).reshape(4, 3)


def layer(weights: Any, x: Any) -> Any:
    """A program with a constant, sizes, several results, views and writes."""
    h = ops.tanh(weights["w"] * x + SHIFT)
    largest, places = ops.max(h, 1)
    row = h[0]
    before = ops.sum(h)
    row.mul_(2.0)
    first, *_ = ops.split(ops.mul(h, weights["b"]), 1, 1)
    flat = ops.view(ops.clone(h), [x.shape[0] * x.shape[1]])
    return {
        "loss": ops.sum(h) - before,
        "all": (largest, [places, first]),
        "flat": flat,
    }


def expected(weights: Any, x: Any) -> Any:
    """Return what the program itself returns."""
    return layer(
        {name: Tensor(np.asarray(w)) for name, w in weights.items()}, Tensor(x)
    )


def check(found: Any, correct: Any) -> None:
    """Compare pytrees of arrays."""
    assert optree.tree_structure(found) == optree.tree_structure(correct)
    leaves = zip(optree.tree_leaves(found), optree.tree_leaves(correct), strict=True)
    for one, other in leaves:
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_every_way_to_run_a_traced_graph(mode: str) -> None:
    """They return what the program does, in its structure."""
    plain = {name: np.asarray(w) for name, w in WEIGHTS.items()}
    graph = make_fx(layer, tracing_mode=mode)(plain, X)
    correct = expected(plain, X)
    simpler = graph.eliminate_common_subexpressions().eliminate_dead_code()
    again = make_fx(graph, tracing_mode=mode)(plain, X)
    for each in (graph, simpler, again):
        for function in (each, executed(each), each.compile()):
            check(function(plain, X), correct)
    check(graph({n: Tensor(w) for n, w in plain.items()}, Tensor(X)), correct)
    assert "test_graph_traced.py" in graph.code
    assert graph.draw().count("<rect") == len(graph.nodes) + 4


def test_graphs_are_differentiated_and_batched() -> None:
    """A graph is a function over operators like any other."""
    plain = {name: np.asarray(w) for name, w in WEIGHTS.items()}

    def loss(x: Any) -> Any:
        return ops.sum(ops.tanh(x * plain["w"]))

    graph = make_fx(loss, tracing_mode="symbolic")(X)
    check(grad(graph)(X), grad(loss)(X))
    check(vmap(graph)(np.stack([X, X + 1])), vmap(loss)(np.stack([X, X + 1])))
    traced = make_fx(grad(loss))(X)
    check(traced.compile()(X), grad(loss)(X))


def test_broadcasting_asks_nothing_of_sizes() -> None:
    """The gradient of what was broadcast is for any number of rows, and any width."""

    def loss(bias: Any, x: Any) -> Any:
        return ops.sum(ops.tanh(bias + x))

    def moved(bias: Any, x: Any) -> Any:
        return jvp(lambda b: b + x, (bias,), (bias,))

    for function in (grad(loss), moved):
        graph = make_fx(function, tracing_mode="symbolic")(np.ones(3), np.ones((4, 3)))
        assert not graph.guard_list
        bias, x = np.arange(5.0), np.ones((5, 5))
        check(graph(bias, x), function(bias, x))


def test_a_kernel_at_meta_stands_for_a_shape_rule(library: Library) -> None:
    """Operators that are defined while a program runs have no rule in YAML."""
    op = library.define("widened(Tensor self, int by, *, int times=1) -> Tensor").op

    def widened(self: Any, by: int, *, times: int) -> Any:
        return MetaTensor((self.shape[0] + by * times, *self.shape[1:]), self.dtype)

    library.impl("widened", lambda self, by, *, times: np.ones((6, 3)), "NumPy")
    library.impl("widened", widened, "Meta")
    for mode, shape in (("fake", "6"), ("symbolic", "s0 + 2")):
        graph = make_fx(lambda x: op(x, 2) + 1, tracing_mode=mode)(X)
        assert f"# float64[{shape}, " in graph.code
        check(graph(X), np.full((6, 3), 2.0))


def test_symbolic_graphs_run_at_other_sizes() -> None:
    """Where guards allow it; others are refused."""

    def halves(x: Any) -> Any:
        rows, columns = x.shape
        if rows < columns:
            return ops.view(x, [columns, rows])
        return ops.view(x, [rows * columns])[: rows * columns // 2]

    fixed = make_fx(halves)(np.ones((5, 3)))
    graph = make_fx(halves, tracing_mode="symbolic")(np.ones((5, 3)))
    for shape in ((5, 3), (9, 2), (4, 4)):
        x = np.arange(float(shape[0] * shape[1])).reshape(shape)
        for function in (graph, executed(graph), graph.compile()):
            check(function(x), halves(Tensor(x)))
    for function in (graph, graph.compile()):
        with pytest.raises(ValueError, match=r"x\.shape\[0\] >= x\.shape\[1\]"):
            function(np.ones((3, 5)))
    with pytest.raises(GraphInputError, match="has size 9 in dimension 0"):
        fixed(np.ones((9, 2)))
