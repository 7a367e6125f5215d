"""Graphs that are run: what they call, what they refuse, what they keep alive."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import Library, ops, register_array_type
from keyslot.runtime.errors import (
    GraphBackendError,
    GraphInputError,
    GuardError,
    UnknownBackendError,
)
from keyslot.transforms import MetaTensor, Tensor
from keyslot.transforms.graph import Graph, Kind, Node
from keyslot.transforms.symbolic import ShapeEnv

from .arrays import matrix, same
from .dispatching import Foreign, unary
from .graph_building import Program, structure

#: Long enough for every recursion to end in an error.
MANY = 20_000


def doubled() -> Graph:
    """Return the graph of one multiplication."""
    p = Program()
    return p.graph(p.call(ops.mul.Scalar, p.input("x", matrix()), 2))


def run_functions(graph: Graph) -> tuple[Callable[..., Any], ...]:
    """Return both ways to run a graph that check their inputs."""
    return graph, graph.compile()


def test_running_calls_overloads() -> None:
    """Whatever sees calls of operators sees those of a graph."""
    graph = doubled()
    seen: list[str] = []

    def spy(self: Any, other: Any) -> Any:
        seen.append("mul.Scalar")
        return self * other

    with Library("keyslot", "IMPL") as library:
        library.impl("mul.Scalar", spy, "AutogradNumPy")
        same(graph(matrix()), matrix() * 2)
        same(graph.run(matrix(), backend="NumPy"), matrix() * 2)
    assert seen == ["mul.Scalar"] * 2


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (matrix().astype("float32"), "input 0 (x) has dtype float32"),
        (matrix()[0], "input 0 (x) has 1 dimensions"),
        (matrix()[:, :2], "input 0 (x) has size 2 in dimension 1"),
        ([1.0, 2.0], "input 0 (x) is list, not an array"),
        (3.0, "input 0 (x) is float, not an array"),
    ],
)
def test_inputs_of_another_kind_are_refused(given: Any, problem: str) -> None:
    """A graph is valid for what it was traced with."""
    graph = doubled()
    with pytest.raises(GraphInputError) as caught:
        graph(given)
    assert str(caught.value) == (
        f"graph f: {problem}; it was traced as float64[2, 3]\n"
        "  what to do: trace it again with such inputs, symbolically for arrays of"
        " other sizes"
    )
    with pytest.raises(GraphInputError):
        graph.compile()(given)


def test_checks_can_be_left_out() -> None:
    """Who knows that a program does not depend on sizes may say so."""
    graph, other = doubled(), np.ones(4, dtype="float32")
    same(graph.run(other, check=False), other * 2)
    same(graph.compile(check=False)(other), other * 2)


def test_wrong_numbers_of_arguments_are_refused() -> None:
    """Also where they come by name."""
    graph = doubled()
    for args, kwargs in (((), {}), ((matrix(),) * 2, {}), ((matrix(),), {"y": 1})):
        with pytest.raises(GraphInputError, match="takes 1 arguments by position"):
            graph(*args, **kwargs)
        with pytest.raises(TypeError):
            graph.compile()(*args, **kwargs)


def test_other_structures_are_refused() -> None:
    """A dict with other keys is another input."""
    p = Program()
    node = p.call(ops.neg.default, p.input("x", matrix()))
    graph = p.graph(node, in_spec=structure((({"a": 0},), {})))
    for function in run_functions(graph):
        same(function({"a": matrix()}), -matrix())
        with pytest.raises(GraphInputError, match="other lists, tuples or dicts"):
            function({"b": matrix()})


def test_guards_are_checked_on_every_call() -> None:
    """Sizes that would have taken the program another way are refused."""
    env = ShapeEnv()
    rows, columns = env.create_symbols((2, 3), "x")
    assert rows < columns
    p = Program()
    x = p.input("x", matrix(), (rows, columns))
    node = Node(ops.neg.default, (x,))
    p.nodes.append(node)
    graph = p.graph(node, guards=env)
    for function in run_functions(graph):
        same(function(np.ones((4, 5))), -np.ones((4, 5)))
        with pytest.raises(GuardError, match=r"x\.shape\[0\] < x\.shape\[1\]"):
            function(np.ones((5, 4)))
        with pytest.raises(GraphInputError, match="has 1 dimensions"):
            function(np.ones(5))


def test_sizes_that_were_numbers_stay_so() -> None:
    """Sizes 0 and 1 are never symbols."""
    env = ShapeEnv()
    shape = env.create_symbols((3, 1), "x")
    p = Program()
    node = Node(ops.neg.default, (p.input("x", np.ones((3, 1)), shape),))
    p.nodes.append(node)
    for function in run_functions(p.graph(node, guards=env)):
        same(function(np.ones((7, 1))), -np.ones((7, 1)))
        with pytest.raises(GraphInputError, match="has size 2 in dimension 1"):
            function(np.ones((7, 2)))


def test_numbers_may_be_inputs() -> None:
    """They are passed as they are, and may be sizes."""
    p = Program()
    x = p.input("x", matrix())
    number = Node(x.op, ("n",))
    p.inputs.append(number)
    node = Node(ops.mul.Scalar, (x, number))
    p.nodes.append(node)
    for function in run_functions(p.graph(node)):
        same(function(matrix(), 3), matrix() * 3)


def test_values_are_dropped_after_their_last_use(library: Library) -> None:
    """A run needs as much memory as the program written by hand."""
    alive: list[int] = []
    made: list[weakref.ref[Any]] = []
    op = library.define("step(Tensor x) -> Tensor").op

    def step(x: Any) -> Any:
        result = x + 1
        alive.append(sum(ref() is not None for ref in made))
        made.append(weakref.ref(result))
        return result

    library.impl(op, step, "NumPy")
    p = Program()
    node = p.input("x", matrix())
    for _ in range(5):
        node = p.call(op, node)
        p.call(op, node)  # nobody uses the result
    graph = p.graph(node)
    p.values.clear()
    for function in run_functions(graph):
        alive.clear()
        made.clear()
        same(function(matrix()), matrix() + 5)
        assert max(alive) == 1


def test_a_run_that_fails_says_what_the_operator_says() -> None:
    """Errors of operators pass through."""
    p = Program()
    x, y = p.input("x", matrix()), p.input("y", matrix())
    graph = p.graph(p.call(ops.add_.Tensor, x, y))
    fixed = matrix()
    fixed.flags.writeable = False
    for function in run_functions(graph):
        with pytest.raises(ValueError, match="read-only"):
            function(fixed, matrix())


# --- another backend ------------------------------------------------------------------


class ForeignArray(Foreign):
    """An array of a backend of its own."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.shape, self.dtype = value.shape, value.dtype


def test_the_backend_says_what_creates_arrays() -> None:
    """Where no argument is an array, nothing else could say."""
    p = Program()
    filled = p.call(ops.full.default, [2], 1.5, dtype=np.float32)
    graph = p.graph(p.call(ops.neg.default, filled))

    def full(size: Any, value: Any, *, dtype: Any, **others: Any) -> ForeignArray:
        assert set(others.values()) == {None}
        return ForeignArray(np.full(size, value, dtype))

    undo = register_array_type(ForeignArray, "PrivateUse1")
    with Library("keyslot", "IMPL") as library:
        library.impl("full", full, "PrivateUse1")
        negative = unary(lambda x: ForeignArray(-x.value))
        library.impl("neg", negative, "PrivateUse1")
        results = [
            graph.run(backend="PrivateUse1"),
            graph.compile("PrivateUse1")(),
        ]
        same(graph(), np.full(2, -1.5, "float32"))
    undo()
    for result in results:
        assert type(result) is ForeignArray
        same(result.value, np.full(2, -1.5, "float32"))


def test_constants_of_another_library_are_refused() -> None:
    """The backend says nowhere how to make one of it."""
    p = Program()
    graph = p.graph(p.call(ops.neg.default, p.constant(matrix())))
    for run in (graph.run, graph.compile):
        with pytest.raises(GraphBackendError) as caught:
            run(backend="PrivateUse1")
        assert str(caught.value) == (
            "graph f cannot run on PrivateUse1: it says nowhere how it takes"
            " constants\n  what to do: make the constant an input of the program"
        )


def test_constants_may_be_tensors() -> None:
    """Kernels of a backend get what is in them, if they stand for no more than that."""
    p = Program()
    constant = Tensor(matrix())
    node = Node(Kind.CONSTANT, (constant,))
    result = Node(ops.neg.default, (node,))
    p.nodes += [node, result]
    graph = p.graph(result)
    for array in (graph.run(backend="NumPy"), graph.compile()()):
        assert type(array) is np.ndarray
        same(array, -matrix())
    assert type(graph()) is Tensor
    node.args = (MetaTensor((2, 3), "float64"),)
    with pytest.raises(GraphBackendError, match="belongs to a transform"):
        graph.compile()


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be converted without it."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    p = Program()
    graph = p.graph(p.call(ops.neg.default, p.constant(matrix())))
    with pytest.raises(GraphBackendError, match="install cupy, or choose another"):
        graph.run(backend="CuPy")


def test_an_unknown_backend_is_refused() -> None:
    """With the nearest name."""
    with pytest.raises(UnknownBackendError, match="NumPy"):
        doubled().compile("Numpy")
    with pytest.raises(UnknownBackendError, match="NumPy"):
        doubled().run(matrix(), backend="Numpy")


# --- large graphs ---------------------------------------------------------------------


def test_long_chains_need_no_recursion() -> None:
    """Neither in a run nor in a pass, nor when the nodes are let go."""
    p = Program()
    node = p.input("x", np.zeros(2))
    for _ in range(MANY):
        node = Node(ops.add.Scalar, (node, 1))
        p.nodes.append(node)
    graph = p.graph(node)
    expected = np.full(2, float(MANY))
    same(graph(np.zeros(2)), expected)
    simpler = graph.eliminate_common_subexpressions().eliminate_dead_code()
    same(simpler(np.zeros(2)), expected)
    assert graph.code.count("\n") == MANY + 2
    assert f"{MANY + 1 - 100:,} more nodes" in graph.draw()
    # What was made is let go link by link.
    first = weakref.ref(p.nodes[0])
    del graph, simpler, node
    p.nodes.clear()
    assert first() is None


def test_without_pytorch_there_is_no_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how to get it."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(GraphBackendError) as caught:
        doubled().to_fx()
    assert str(caught.value) == (
        "graph f cannot run on Torch: PyTorch is not installed\n"
        "  what to do: install it: python -m pip install torch"
    )
