"""make_fx: what it records of a program, in each mode of tracing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import Library, Tensor, ops
from keyslot.transforms import (
    DispatchMode,
    Graph,
    functionalize,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_fx,
    vjp,
    vmap,
)
from keyslot.transforms.graph import Kind

from .graph_building import executed

MODES = ("real", "fake", "symbolic")
X = np.arange(1.0, 13.0).reshape(4, 3)

every_mode = pytest.mark.parametrize("mode", MODES)


def called(graph: Graph) -> list[str]:
    """Return the names of the overloads that a graph calls."""
    nodes = (node for node in graph.nodes if not isinstance(node.op, Kind))
    return [node.op.name.removeprefix("keyslot::") for node in nodes]


def check_runs(graph: Graph, expected: Any, *args: Any) -> None:
    """Run a graph in every way; the arguments are not changed."""
    for function in (graph, executed(graph), graph.compile()):
        found = function(*(a.copy() if hasattr(a, "copy") else a for a in args))
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected))


def line_of(function: Callable[..., Any], offset: int) -> int:
    """Return the number of a line of a function."""
    return inspect.getsourcelines(function)[1] + offset


# --- nodes ----------------------------------------------------------------------------


def program(x: Any) -> Any:
    y = ops.sum(x, [1])
    values, _ = ops.max(
        x,
        1,
    )
    return y * values.to("float32")


@every_mode
def test_nodes_have_operator_shape_dtype_and_line(mode: str) -> None:
    """Those of the program, in its order."""
    graph = make_fx(program, mode)(X)
    assert called(graph) == ["sum.dim_IntList", "max.dim", "_to_copy", "mul.Tensor"]
    rows = graph.placeholders[0].spec.shape[0]
    assert mode == "symbolic" or rows == 4
    arrays = [node.spec for node in graph.nodes if hasattr(node.spec, "dtype")]
    assert [spec.dtype for spec in arrays] == ["f8", "f8", "i8", "f4", "f8"]
    assert [spec.shape for spec in arrays] == [(rows,)] * 5
    lines = [n.location.line for n in graph.nodes if n.location is not None]
    assert lines == [line_of(program, n) for n in (1, 2, 6, 6)]
    assert {n.location.file for n in graph.nodes if n.location} == {__file__}
    check_runs(graph, program(Tensor(X)), X)


@every_mode
def test_results_of_several_kinds(mode: str) -> None:
    """Lists of arrays, arrays as numbers of items, and none that are not used."""

    def parts(x: Any) -> Any:
        one, two = ops.split(x, 2)
        return ops.cat([two, one, ops.stack([x[0], x[1]])])

    graph = make_fx(parts, mode)(X)
    check_runs(graph, np.concatenate([X[2:], X[:2], X[:2]]), X)


def test_kernels_get_arrays_in_a_real_trace(library: Library) -> None:
    """By position, by name, and in lists."""
    seen: list[type] = []

    def kernel(x: Any, many: Any, *, last: Any) -> Any:
        seen.extend(map(type, (x, *many, last)))
        return x * 2

    op = library.define("held(Tensor x, Tensor[] many, *, Tensor last) -> Tensor").op
    library.impl(op, kernel, "NumPy")
    graph = make_fx(lambda x: op(x, [x, X], last=x))(X)
    assert seen == [np.ndarray] * 4
    check_runs(graph, 2 * X, X)


@every_mode
def test_writes_and_views_are_recorded(mode: str) -> None:
    """Replayed, they change the same memory."""

    def writes(x: Any) -> Any:
        y = ops.clone(x)
        row = y[1]
        row.mul_(10.0)
        ops.add(row, 1.0, out=y[2])
        y[0] = ops.sum(y, [0])
        return y

    expected = X.copy()
    expected[1] *= 10
    expected[2] = expected[1] + 1
    expected[0] = expected.sum(0)
    graph = make_fx(writes, mode)(X)
    check_runs(graph, expected, X)


@every_mode
def test_inputs_are_written_to(mode: str) -> None:
    """A replay does what the program does to its argument."""
    graph = make_fx(lambda x: ops.mul_(x, 2), mode)(X.copy())
    for function in (graph, executed(graph), graph.compile()):
        x = X.copy()
        assert function(x) is x
        np.testing.assert_array_equal(x, 2 * X)


@every_mode
def test_random_numbers_are_drawn_anew(mode: str) -> None:
    """By each run."""
    graph = make_fx(lambda x: x + ops.rand([*x.shape]), mode)(X)
    assert called(graph) == ["rand", "add.Tensor"]
    first, second = graph(X), graph(X)
    assert (np.floor(first) == X).all()
    assert (first != second).any()


@every_mode
def test_factories_take_sizes(mode: str) -> None:
    """Of inputs, or plain ones."""

    def program(x: Any) -> Any:
        rows = x.shape[0]
        return x + ops.unsqueeze(ops.arange(rows), 1) + ops.ones([rows, 1])

    graph = make_fx(program, mode)(X)
    check_runs(graph, X + np.arange(4.0)[:, None] + 1, X)
    if mode == "symbolic":
        check_runs(graph, X[:3] + np.arange(3.0)[:, None] + 1, X[:3])


# --- guards ---------------------------------------------------------------------------


def choosing(x: Any) -> Any:
    """Ask about sizes."""
    if x.shape[0] > x.shape[1]:
        return x * 2
    return x * 3


def test_guards_are_listed_with_the_line_that_asked() -> None:
    """And hold on every call."""
    graph = make_fx(choosing, "symbolic")(X)
    (guard,) = graph.guard_list
    assert "x.shape[0] > x.shape[1]" in str(guard)
    assert guard.line.file == __file__
    assert guard.line.line == line_of(choosing, 2)
    check_runs(graph, np.ones((9, 2)) * 2, np.ones((9, 2)))
    for function in (graph, graph.compile()):
        with pytest.raises(ValueError, match=r"x\.shape\[0\] > x\.shape\[1\]"):
            function(np.ones((2, 9)))


@pytest.mark.parametrize("size", [0, 1])
def test_sizes_0_and_1_are_specialised(size: int) -> None:
    """A trace with them is for them alone; one with others is not for them."""
    narrow = make_fx(lambda x: x + X, "symbolic")(np.ones((4, 1)))
    check_runs(narrow, X + 1, np.ones((4, 1)))
    special = make_fx(lambda x: ops.sum(x), "symbolic")(np.ones((size, 3)))
    assert special.placeholders[0].spec.shape[0] == size
    wide = make_fx(lambda x: ops.sum(x), "symbolic")(np.ones((5, 3)))
    with pytest.raises(ValueError):
        special(np.ones((5, 3)))
    with pytest.raises(ValueError):
        wide(np.ones((size, 3)))


def test_sizes_that_are_equal_in_the_example() -> None:
    """They share a symbol, as in PyTorch; others get a guard where they have to be."""
    same = make_fx(lambda x, y: (ops.sum(x), ops.sum(y)), "symbolic")(X, X)
    assert same.guard_list == []
    with pytest.raises(ValueError, match=r"y\.shape\[0\] == x\.shape\[0\]"):
        same(X, X[:2])
    apart = make_fx(lambda x, y: (ops.sum(x), ops.sum(y)), "symbolic")(X, X[:2, :])
    apart(X[:3], X)


# --- decompositions and early tracing -------------------------------------------------


def loss(x: Any) -> Any:
    """A composite of composites."""
    return ops.sum(ops.softmax(ops.matmul(x, ops.t(x)), -1) * 2)


@every_mode
def test_pre_dispatch_keeps_composites(mode: str) -> None:
    """Without it their parts are recorded."""
    early = make_fx(loss, mode, pre_dispatch=True)(X)
    late = make_fx(loss, mode)(X)
    assert called(early) == ["t", "matmul", "softmax.int", "mul.Scalar", "sum"]
    assert not {"t", "matmul", "softmax.int"} & {*called(late)}
    for graph in (early, late):
        check_runs(graph, loss(Tensor(X)), X)


@every_mode
def test_pre_dispatch_keeps_what_differentiates(mode: str) -> None:
    """Of what transforms make, it records the operators that they call."""
    early = make_fx(grad(loss), mode, pre_dispatch=True)(X)
    check_runs(early, grad(loss)(X), X)
    check_runs(
        make_fx(vmap(loss), mode, pre_dispatch=True)(X[None]), [loss(X)], X[None]
    )


@every_mode
def test_decomposition_table(mode: str) -> None:
    """Functions in it are traced in the place of operators, also inside others."""

    def sigmoid(x: Any) -> Any:
        return ops.reciprocal(ops.exp(-x) + 1)

    def softmax(x: Any, dim: int, half: bool) -> Any:
        e = ops.exp(x)
        return e / ops.sum(e, [dim], keepdim=True)

    table = {ops.sigmoid.default: sigmoid, ops._softmax.default: softmax}
    traced = make_fx(
        lambda x: ops.softmax(ops.sigmoid(x), -1), mode, decomposition_table=table
    )(X)
    assert not {"sigmoid", "_softmax", "softmax.int"} & {*called(traced)}
    check_runs(traced, ops.softmax(ops.sigmoid(X), -1), X)
    derived = make_fx(grad(lambda x: ops.sum(ops.sigmoid(x))), mode, False, table)(X)
    assert "sigmoid" not in called(derived)


# --- transforms -----------------------------------------------------------------------


def square_sum(x: Any) -> Any:
    """A function of arrays with any number of dimensions, with a write inside."""
    y = ops.clone(x)
    y.mul_(x)
    return ops.sum(ops.sin(y))


#: Functions of one array whose trace needs several layers.
TRANSFORMED: dict[str, Callable[..., Any]] = {
    "grad": grad(square_sum),
    "vmap": vmap(square_sum),
    "vmap of grad": vmap(grad(square_sum)),
    "grad of vmap": grad(lambda x: ops.sum(vmap(square_sum)(x))),
    "grad of grad": grad(lambda x: ops.sum(grad(square_sum)(x) * x)),
    "jvp": lambda x: jvp(square_sum, (x,), (x,))[1],
    "vjp": lambda x: vjp(ops.sin, x)[1](x)[0],
    "jacrev": jacrev(ops.sin),
    "jacfwd": jacfwd(ops.sin),
    "hessian": hessian(square_sum),
    "functionalize": functionalize(square_sum),
    "functionalize of grad": functionalize(grad(square_sum)),
    "grad of functionalize": grad(functionalize(square_sum)),
}


@every_mode
@pytest.mark.parametrize("pre_dispatch", [False, True])
@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformed_functions_are_traced(
    name: str, pre_dispatch: bool, mode: str
) -> None:
    """The graph has the operators that they come down to, for other sizes too."""
    function = TRANSFORMED[name]
    x = X[:, :2] / 10
    graph = make_fx(function, mode, pre_dispatch)(x)
    check_runs(graph, function(x), x)
    if mode == "symbolic":
        other = np.linspace(0.1, 0.9, 15).reshape(5, 3)
        check_runs(graph, function(other), other)


@every_mode
@pytest.mark.parametrize("inner", MODES)
def test_traces_inside_of_traces(inner: str, mode: str) -> None:
    """The inner graph is called with traced arrays like any function."""

    def program(x: Any) -> Any:
        graph = make_fx(lambda y: ops.sin(y) * 2, inner)(x)
        return graph(x) + x

    graph = make_fx(program, mode)(X)
    check_runs(graph, np.sin(X) * 2 + X, X)


@every_mode
def test_traces_inside_of_transforms(mode: str) -> None:
    """What they are given belongs to a layer around the trace."""

    def program(x: Any) -> Any:
        return ops.sum(make_fx(lambda y: ops.sin(y) * y, mode)(x)(x))

    expected = np.cos(X) * X + np.sin(X)
    for function in (grad(program), vmap(grad(program))):
        np.testing.assert_allclose(np.asarray(function(X)), expected)


def test_modes_and_traces() -> None:
    """A mode around a trace sees what is computed; one inside, what is recorded."""
    seen: list[str] = []

    class Log(DispatchMode):
        def __keyslot_dispatch__(
            self, op: Any, types: Any, args: Any, kwargs: Any
        ) -> Any:
            seen.append(op.schema.name)
            return op(*args, **kwargs)

    def program(x: Any) -> Any:
        with Log():
            y = ops.sin(x)
        return y + y

    with Log():
        assert called(make_fx(ops.cos)(X)) == ["cos"]
    assert called(make_fx(program)(X)) == ["sin", "add.Tensor"]
    assert seen == ["cos", "sin"]
