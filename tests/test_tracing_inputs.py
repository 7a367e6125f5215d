"""make_fx: inputs, outputs, constants, and programs that cannot be traced."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
import pytest

from keyslot import Library, Tensor, exclude_keys, ops, snapshot
from keyslot.generated.keys import DISPATCHER
from keyslot.runtime.errors import (
    DataNeededError,
    EscapedTensorError,
    GradientInputError,
    GraphInputError,
    NoShapeRuleError,
    TracingError,
    TransformedValueError,
)
from keyslot.transforms import MetaTensor, grad, make_fx, vmap
from keyslot.transforms.graph import Graph, Kind

from .graph_building import executed

MODES = ("real", "fake", "symbolic")
X = np.arange(1.0, 13.0).reshape(4, 3)

every_mode = pytest.mark.parametrize("mode", MODES)


def ways(graph: Graph) -> tuple[Callable[..., Any], ...]:
    """Return the graph as a function: interpreted, as its source, and compiled."""
    return graph, executed(graph), graph.compile()


def names(graph: Graph) -> list[str]:
    """Return the names of its inputs."""
    return [node.args[0] for node in graph.placeholders]


class Pair(NamedTuple):
    """A container with fields."""

    first: Any
    second: Any


# --- inputs ---------------------------------------------------------------------------


@every_mode
def test_inputs_are_called_after_parameters(mode: str) -> None:
    """And what is in containers after keys, fields and places."""

    def program(
        params: Any, x: Any, *rest: Any, scale: Any, **more: Any
    ) -> tuple[Any, ...]:
        return params["w"], x, rest, scale, more

    params = {"w": X, "b": [X, X], "pair": Pair(X, {"deep": X})}
    graph = make_fx(program, mode)(params, X, X, X, zeta=X, alpha=X, scale=X)
    assert names(graph) == [
        "params_b_0",
        "params_b_1",
        "params_pair_first",
        "params_pair_second_deep",
        "params_w",
        "x",
        "rest_0",
        "rest_1",
        "alpha",
        "scale",
        "zeta",
    ]


@every_mode
def test_named_arguments_keep_their_names_in_any_order(mode: str) -> None:
    """The guards and messages name the right ones."""
    graph = make_fx(lambda *, b, a: a - b, mode)(b=X, a=2 * X[:1])
    assert names(graph) == ["a", "b"]
    np.testing.assert_array_equal(graph(a=2 * X[:1], b=X), 2 * X[:1] - X)
    with pytest.raises(GraphInputError, match=r"input 0 \(a\) has dtype int64"):
        graph(a=np.ones((1, 3), int), b=X)


def test_functions_without_a_signature() -> None:
    """Inputs have the numbers of their places."""

    class Silent:
        __signature__ = "nothing of use"

        def __call__(self, x: Any, y: Any) -> Any:
            return x + y[0]

    graph = make_fx(Silent())(X, [X])
    assert names(graph) == ["x0", "x1_0"]


@every_mode
def test_unused_inputs_stay(mode: str) -> None:
    """They are checked as the others are."""
    graph = make_fx(lambda x, y: ops.sin(x), mode)(X, X)
    for function in ways(graph):
        np.testing.assert_allclose(function(X, X), np.sin(X))
    with pytest.raises(GraphInputError, match="takes 2 arguments"):
        graph(X)


@every_mode
def test_numbers_become_part_of_the_program(mode: str) -> None:
    """So do other plain values; a graph refuses any others, of another type too."""

    def program(x: Any, n: Any, options: Any) -> Any:
        return x * n if options["double"] else x

    graph = make_fx(program, mode)(X, 3, {"double": True, "none": None})
    for function in ways(graph):
        found = function(X, 3, {"double": True, "none": None})
        np.testing.assert_array_equal(found, 3 * X)
    for n, double in ((4, True), (3.0, True), (3, False), (3, 1)):
        with pytest.raises(GraphInputError, match="trace again"):
            graph(X, n, {"double": double, "none": None})


@every_mode
def test_one_array_given_twice(mode: str) -> None:
    """Is two inputs, which may differ in a replay."""
    graph = make_fx(lambda x, y: x - y, mode)(X, X)
    np.testing.assert_array_equal(graph(2 * X, X), X)


@every_mode
def test_inputs_may_be_tensors(mode: str) -> None:
    """Also such as require gradients: the trace is of what their values go through."""
    leaf = Tensor(X, requires_grad=True)
    graph = make_fx(lambda x: ops.sum(ops.sin(x) * x), mode)(leaf)
    np.testing.assert_allclose(graph.compile()(X), np.sum(np.sin(X) * X))
    graph(leaf).backward()
    assert leaf.grad is not None
    np.testing.assert_allclose(leaf.grad.numpy(), np.cos(X) * X + np.sin(X))


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
def test_inputs_may_be_abstract(mode: str) -> None:
    """Where nothing is computed anyway."""
    graph = make_fx(ops.sin, mode)(MetaTensor((4, 3), "float64"))
    np.testing.assert_allclose(graph(X), np.sin(X))


# --- outputs --------------------------------------------------------------------------


@every_mode
def test_outputs_in_their_containers(mode: str) -> None:
    """Inputs, constants, results twice over, and what is no array."""
    constant = np.ones(2)

    def program(x: Any, y: Any) -> Any:
        z = x + y
        return {"in": (x, y), "out": [z, z], "rest": Pair(constant, (3, None, "text"))}

    graph = make_fx(program, mode)(X, X)
    for function in ways(graph):
        found = function(X, 2 * X)
        np.testing.assert_array_equal(found["in"], (X, 2 * X))
        np.testing.assert_array_equal(found["out"], [3 * X, 3 * X])
        assert found["rest"].first is constant
        assert found["rest"].second == (3, None, "text")


@every_mode
def test_nothing_computed_and_nothing_returned(mode: str) -> None:
    """The least of programs."""
    results: list[Any] = [None, (), {}, 5]
    for result in results:
        graph = make_fx(lambda x, result=result: result, mode)(X)
        assert all(function(X) == result for function in ways(graph))


def test_sizes_may_be_returned() -> None:
    """Symbols become the sizes of each run."""
    graph = make_fx(lambda x: (x.shape[0] * 2, ops.sum(x)), "symbolic")(X)
    for function in (graph, graph.compile()):
        assert function(np.ones((7, 3)))[0] == 14


# --- constants ------------------------------------------------------------------------


@every_mode
def test_arrays_from_outside_are_constants(mode: str) -> None:
    """Each object once, and written to as any other: plain ones and Tensors."""
    weights, tensor = np.full(3, 2.0), Tensor(np.full(3, 4.0))
    graph = make_fx(lambda x: x * weights + weights * tensor, mode)(X)
    constants = [node.args[0] for node in graph.nodes if node.op is Kind.CONSTANT]
    assert [id(c) for c in constants] == [id(weights), id(tensor.value)]
    for function in ways(graph):
        np.testing.assert_array_equal(function(X), X * 2 + 8)


@every_mode
@pytest.mark.parametrize("place", [0, 1])
def test_tensors_from_outside_that_require_gradients(place: int, mode: str) -> None:
    """They are constants as well, and what meets them stays traced."""
    leaf = Tensor(np.full(3, 2.0), requires_grad=True)

    def program(x: Any) -> Any:
        pair = (x, leaf)
        y = ops.mul(pair[place], pair[1 - place])
        return ops.cat([y, ops.mul(leaf, leaf) + x])

    graph = make_fx(program, mode)(X)
    for function in ways(graph):
        found = function(X + 1)
        np.testing.assert_array_equal(found, np.concatenate([(X + 1) * 2, X + 5]))


@every_mode
def test_tensors_made_inside(mode: str) -> None:
    """Of traced arrays; `backward` is traced as it runs."""

    def program(x: Any) -> Any:
        leaf = Tensor(x, requires_grad=True)
        ops.sum(ops.sin(leaf) * Tensor(x)).backward()
        return leaf.grad

    graph = make_fx(program, mode)(X)
    for function in ways(graph):
        np.testing.assert_allclose(function(X), np.cos(X) * X)


@every_mode
def test_arrays_that_are_traced_cannot_require_gradients(mode: str) -> None:
    """Nothing would be recorded."""
    with pytest.raises(GradientInputError, match="a Tensor around"):
        make_fx(lambda x: x.requires_grad_(), mode)(X)


# --- what cannot be traced ------------------------------------------------------------


@every_mode
@pytest.mark.parametrize(
    "program",
    [
        lambda x: x if ops.sum(x) > 0 else -x,
        lambda x: x * int(x[0, 0]),
        lambda x: x * float(x[0, 0]),
        lambda x: x * x[0, 0].item(),
        lambda x: x[: x.to("int64")[0, 0]],
        lambda x: ops.sum(x * np.asarray(x)),
        lambda x: x.tolist(),
    ],
)
def test_elements_are_needed(program: Callable[[Any], Any], mode: str) -> None:
    """A message says what for, and that the array is traced or has none."""
    error = TransformedValueError if mode == "real" else DataNeededError
    with pytest.raises(error, match=r"traced|make_fx"):
        make_fx(program, mode)(X)


def test_sizes_that_depend_on_elements() -> None:
    """Only a trace with elements goes on; the graph is for any others."""
    graph = make_fx(lambda x: ops.nonzero(x > 6) * 2)(X)
    np.testing.assert_array_equal(graph(X - 3), np.argwhere(X - 3 > 6) * 2)
    for mode in ("fake", "symbolic"):
        with pytest.raises(DataNeededError, match="nonzero"):
            make_fx(ops.nonzero, mode)(X)


def test_operator_without_a_shape_rule(library: Library) -> None:
    """Needs elements; the error says which it is."""
    op = library.define("halved(Tensor x) -> Tensor").op
    library.impl("halved", lambda x: x / 2, "NumPy")
    np.testing.assert_array_equal(make_fx(op)(X)(X), X / 2)
    with pytest.raises(NoShapeRuleError, match="halved"):
        make_fx(op, "fake")(X)


def test_unknown_mode() -> None:
    """The message names those that there are, before anything is traced."""
    with pytest.raises(TracingError, match=r"'reel'.*real.*fake.*symbolic"):
        make_fx(ops.sin, "reel")


@every_mode
def test_results_of_a_transform_around_the_trace(mode: str) -> None:
    """They cannot be traced where only the closure belongs to it."""

    def closing(y: Any) -> Any:
        return ops.sum(make_fx(lambda x: x * y, mode)(X)(X))

    for function in (grad(closing), vmap(closing)):
        with pytest.raises(EscapedTensorError, match="as an argument"):
            function(X)


# --- what is left behind --------------------------------------------------------------


@every_mode
def test_program_that_raises_leaves_no_state(mode: str) -> None:
    """Its own error passes through, and calls are as before."""

    def broken(x: Any) -> Any:
        grad(lambda y: ops.sum(ops.view(y, [-1]) * 2).shape[5])(x)

    before = snapshot()
    with pytest.raises(IndexError):
        make_fx(broken, mode)(X)
    assert repr(snapshot()) == repr(before)
    np.testing.assert_array_equal(ops.mul(X, X), X * X)
    assert len(make_fx(ops.sin, mode)(X).nodes) == 1


@every_mode
def test_traced_array_that_is_kept(mode: str) -> None:
    """It is an array like any other after its trace, and no operator is recorded."""
    kept: list[Any] = []

    def keeping(x: Any) -> Any:
        kept.append(x)
        return ops.sin(x)

    graph = make_fx(keeping, mode)(X)
    assert ops.mul(kept[0], 2).shape == kept[0].shape
    assert len(graph.nodes) == 1


class Weak(np.ndarray[Any, Any]):
    """An array that may be referred to weakly."""


def test_graph_keeps_no_intermediate_arrays(library: Library) -> None:
    """Nor the example inputs; nodes know shapes and dtypes."""
    made: list[ref[Any]] = []

    def kernel(x: Any) -> Any:
        result = np.sin(x).view(Weak)
        made.append(ref(result))
        return result

    op = library.define("waved(Tensor x) -> Tensor").op
    library.impl("waved", kernel, "NumPy")
    example = X.copy().view(Weak)
    held = ref(example)
    graph = make_fx(lambda x: ops.split(op(op(x)), 2)[0] + 1)(example)
    del example
    gc.collect()
    assert len(made) == 2
    assert [held(), *(array() for array in made)] == [None] * 3
    assert [node.spec.shape for node in graph.nodes if hasattr(node.spec, "shape")] == [
        (4, 3),
        (4, 3),
        (2, 3),
        (2, 3),
        (2, 3),
    ]


def test_trace_in_a_guard_keeps_no_state(small_heap: None) -> None:
    """Calls after the guard are not taken to be in it, though the trace is kept."""
    kept: list[Any] = []

    def keeping(x: Any) -> Any:
        kept.append(x)
        return ops.sin(x)

    before = len(DISPATCHER.active)
    with exclude_keys("Autocast"):
        graph = make_fx(keeping)(X)
    assert len(DISPATCHER.active) == before
    assert len(graph.nodes) == len(kept) == 1
