"""Compiled graphs: the very kernels, called with all their arguments."""

from __future__ import annotations

import gc
import inspect
import linecache
import traceback
from typing import Any

import numpy as np
import pytest

from keyslot import Library, dispatch_trace, ops
from keyslot.runtime.errors import (
    ArgumentValueError,
    GraphInputError,
    GraphKernelError,
    OverloadError,
)
from keyslot.transforms.graph import Node

from .arrays import matrix, same
from .dispatching import names, operator, unary, with_keys
from .graph_building import Program, structure


def source(function: Any) -> list[str]:
    """Return the lines of a compiled function without their comments."""
    lines = inspect.getsource(function).splitlines()
    return [line.partition("  #")[0].strip() for line in lines]


def test_a_compiled_graph_is_straight_line_calls_of_kernels() -> None:
    """The kernels are those that dispatch reaches, and nothing is dispatched."""
    p = Program()
    x, y = p.input("x", matrix()), p.input("y", matrix())
    product = p.call(ops.mul.Tensor, x, y)
    function = p.graph(p.call(ops.add.Tensor, product, x)).compile()
    assert source(function) == [
        "def f(x, y):",
        "if type(x) is not ndarray or x.dtype is not float64 or x.shape != (2, 3):",
        "admit([x, y])",
        "if type(y) is not ndarray or y.dtype is not float64 or y.shape != (2, 3):",
        "admit([x, y])",
        "mul = mul_Tensor_kernel(x, y)",
        "del y",
        "add = add_Tensor_kernel(mul, x, alpha=1)",
        "del mul, x",
        "return add",
    ]
    kernels = inspect.getclosurevars(function).nonlocals
    array = np.ndarray
    assert kernels["mul_Tensor_kernel"] is ops.mul.Tensor.kernel_for(array, array)
    assert kernels["add_Tensor_kernel"] is ops.add.Tensor.kernel_for(array, array)
    lines: list[Any] = []
    with dispatch_trace(lines.append):
        same(function(matrix(), matrix()), matrix() * matrix() + matrix())
    assert not lines
    assert function.__name__ == function.__qualname__ == "f"


def test_kernels_get_arguments_as_the_schema_has_them() -> None:
    """What a call would convert on its way is converted, once where it can be."""
    p = Program()
    x = p.input("x", np.arange(6.0))
    total = p.call(ops.sum.dim_IntList, x, 0)
    scaled = p.call(ops.mul.Scalar, x, p.call(ops.clone.default, total))
    floats = p.call(ops.clamp.default, scaled, max=np.float32(7))
    graph = p.graph(p.call(ops.select.int, floats, 0, np.int64(0)))
    function = graph.compile()
    same(function(np.arange(6.0)), 0.0)
    lines = source(function)
    assert "sum_1 = sum_dim_IntList_kernel(x, (0,), False, dtype=None)" in lines
    assert "mul = mul_Scalar_kernel(x, convert(clone))" in lines
    assert "clamp = clamp_default_kernel(mul, None, 7.0)" in lines
    assert "select = select_int_kernel(clamp, 0, 0)" in lines


def test_conversions_that_fail_say_whose_argument_it_is() -> None:
    """As a call of the operator does."""
    p = Program()
    x = p.input("x", matrix())
    p.nodes.append(Node(ops.mul.Scalar, (x, x)))
    p.nodes[0].spec = x.spec
    with pytest.raises(ArgumentValueError, match="Scalar: argument 'other'"):
        p.graph(p.nodes[0]).compile()(matrix())


def test_arguments_that_do_not_fit_are_refused() -> None:
    """When it is compiled, not when it runs."""
    p = Program()
    node = Node(ops.mul.Scalar, (p.input("x", matrix()), "two"))
    p.nodes.append(node)
    with pytest.raises(OverloadError, match="argument 'other' takes Scalar, not str"):
        p.graph(node).compile()


def test_an_operator_without_a_kernel_is_named() -> None:
    """It would have failed in the middle of a run."""
    p = Program()
    with operator("lost(Tensor x) -> Tensor") as (_, op):
        node = Node(op, (p.input("x", matrix()),))
        p.nodes.append(node)
        with pytest.raises(GraphKernelError) as caught:
            p.graph(node).compile()
    assert str(caught.value) == (
        f"graph f cannot be compiled for NumPy: {op.name} has no kernel there\n"
        "  what to do: register one, or compile for another backend"
    )


def test_composites_are_called_as_they_are() -> None:
    """Their kernel serves every backend, and calls operators."""
    p = Program()
    x = p.input("x", matrix())
    spread = p.call(ops.var.dim, x, [1], keepdim=True)
    function = p.graph(p.call(ops.max.other, x, spread)).compile()
    same(function(matrix()), p.values[p.nodes[-1]])


def test_kernels_may_take_the_key_set() -> None:
    """They get the one of the key that they run at."""
    seen: list[list[str]] = []
    with operator("f(Tensor x) -> Tensor") as (library, op):

        def kernel(keys: Any, x: Any) -> Any:
            seen.append(names(keys))
            return x

        library.impl(op, with_keys(kernel), "NumPy")
        p = Program()
        node = p.call(op, p.input("x", matrix()))
        p.graph(node).compile()(matrix())
    assert seen[-1] == ["NumPy"]


def test_kernels_registered_later_are_not_seen() -> None:
    """Nothing is looked up any more."""
    p = Program()
    graph = p.graph(p.call(ops.neg.default, p.input("x", matrix())))
    function = graph.compile()
    with Library("keyslot", "IMPL") as library:
        library.impl("neg", unary(lambda x: x), "NumPy", override=True)
        same(function(matrix()), -matrix())
        same(graph.compile()(matrix()), matrix())


class Subclass(np.ndarray[Any, Any]):
    """An array of NumPy of another class."""


def test_inputs_are_arrays_of_the_backend() -> None:
    """Of any class of its library; kernels would do anything with others."""
    p = Program()
    function = p.graph(p.call(ops.neg.default, p.input("x", matrix()))).compile()
    assert type(function(matrix().view(Subclass))) is Subclass
    swapped = matrix().astype(">f8")
    same(function(swapped).astype("f8"), -matrix())

    class Other:
        shape, dtype = (2, 3), np.dtype("float64")

    with pytest.raises(GraphInputError, match="takes arrays of NumPy, not Other"):
        function(Other())


def test_tracebacks_show_the_function() -> None:
    """The line of the call, with what is known of it, in a file that can be named."""
    p = Program()
    x = p.input("x", matrix())
    node = Node(ops.select.int, (x, 0, 7), None, x.spec)
    p.nodes.append(node)
    function = p.graph(node, name="pick").compile()
    with pytest.raises(IndexError) as caught:
        function(matrix())
    shown = "".join(traceback.format_exception(caught.value))
    assert 'File "<keyslot graph pick for NumPy, ' in shown
    assert "select = select_int_kernel(x, 0, 7)  # float64[2, 3]" in shown


def test_sources_go_with_their_functions() -> None:
    """A program that compiles again and again keeps no text."""
    graph = Program().graph(1.0, name="gone")
    functions = [graph.compile() for _ in range(5)]
    held = [name for name in linecache.cache if "graph gone" in name]
    assert len(held) == len(functions)
    linecache.checkcache()
    assert inspect.getsource(functions[0])
    functions.clear()
    gc.collect()
    assert not [name for name in linecache.cache if "graph gone" in name]


def test_large_graphs_compile() -> None:
    """Ten thousand nodes, with few values alive at a time."""
    p = Program()
    x = node = p.input("x", np.zeros(2))
    for _ in range(5_000):
        node = Node(ops.add.Tensor, (node, x))
        node = Node(ops.add.Scalar, (node, 1))
        p.nodes += [Node(ops.neg.default, (x,)), node.args[0], node]
    function = p.graph(node).compile()
    same(function(np.zeros(2)), np.full(2, 5_000.0))


def test_constants_and_results_may_be_anything() -> None:
    """A graph may return inputs, constants and numbers, and one value twice."""
    p = Program()
    x, number = p.input("x", matrix()), p.constant(np.float64(2))
    spec = structure((0,) * 5)
    results = (x, number, 3.5, number, p.call(ops.mul.Tensor, x, number))
    graph = p.graph(*results, out_spec=spec)
    given = matrix()
    for function in (graph, graph.compile()):
        first, second, third, fourth, product = function(given)
        assert first is given
        assert second is fourth
        assert third == 3.5
        same(product, matrix() * 2)


def test_effects_happen_though_nothing_is_returned() -> None:
    """A graph without results still writes."""
    p = Program()
    p.call(ops.mul_.Scalar, p.input("x", matrix()), 3)
    graph = p.graph(out_spec=structure(()))
    for function in (graph, graph.compile(), graph.eliminate_dead_code()):
        given = matrix()
        assert function(given) == ()
        same(given, matrix() * 3)


def test_a_library_may_close_after_compiling() -> None:
    """The kernels were taken before."""
    with Library("keyslot", "IMPL") as library:
        library.impl("neg", unary(lambda x: x + 1), "NumPy", override=True)
        p = Program()
        function = p.graph(p.call(ops.neg.default, p.input("x", matrix()))).compile()
    same(function(matrix()), matrix() + 1)
