"""Graphs as Python source: what it looks like, that it runs, what it never holds."""

from __future__ import annotations

import ast
import builtins
import keyword
import math
import pickle
from typing import Any, NamedTuple

import numpy as np
import optree
import pytest

from keyslot import Library, ops
from keyslot.runtime.errors import GraphSizeError
from keyslot.transforms import make_fx
from keyslot.transforms.graph import Graph, Kind, Node
from keyslot.transforms.symbolic import ShapeEnv

from .arrays import matrix, same
from .graph_building import Program, Spec, executed, structure

HOSTILE = "m.py\nimport os\r\x0cos.abort()\u2028#'\"\\"


def body(graph: Graph) -> list[str]:
    """Return the lines of a printed function without their comments."""
    return [line.partition("  #")[0].strip() for line in graph.code.splitlines()]


def test_a_graph_prints_as_calls_of_overloads() -> None:
    """One line a node, with the names, dtypes, shapes and lines of the program."""
    p = Program()
    x = p.input("x", matrix())
    total = p.call(ops.sum.dim_IntList, x, [1], keepdim=True)
    scaled = p.call(ops.add.Tensor, x, p.constant(matrix()), alpha=0.5)
    both = p.call(ops.split.Tensor, p.call(ops.mul.Tensor, scaled, total), 1)
    graph = p.graph(p.item(both, 1))
    assert body(graph) == [
        "def f(x):",
        "sum_1 = ops.sum.dim_IntList(x, [1], keepdim=True)",
        "add = ops.add.Tensor(x, constant, alpha=0.5)",
        "mul = ops.mul.Tensor(add, sum_1)",
        "split = ops.split.Tensor(mul, 1)",
        "getitem = split[1]",
        "return getitem",
    ]
    line = graph.nodes[0].location
    assert line is not None
    assert line.file == __file__
    comment = f"test_graph_printing.py:{line.line}: total = p.call(ops.sum.dim_IntList"
    assert f"  # float64[2, 1], {comment}" in graph.code
    same(executed(graph)(matrix()), p.values[graph.outputs[0]])
    assert str(graph) + "\n" == graph.code
    assert repr(graph) == "<Graph f: 1 inputs, 6 nodes, 1 outputs>"
    assert repr(graph.nodes[0]) == "<Node sum.dim_IntList: float64[2, 1]>"


def test_defaults_are_not_printed() -> None:
    """Tracers record all arguments of the schema; readers know what nobody said."""

    def program(x: Any) -> Any:
        return ops.add(ops.sum(x, [0]), ops.full_like(x, 0, dtype="f4"))

    graph = make_fx(program)(matrix())
    assert body(graph)[1:-1] == [
        "sum_1 = ops.sum.dim_IntList(x, [0])",
        "full_like = ops.full_like.default(x, 0, dtype='f4')",
        "add = ops.add.Tensor(sum_1, full_like)",
    ]
    same(executed(graph)(matrix()), graph(matrix()))


@pytest.mark.parametrize(
    "number",
    [0, -3, True, 10**5000, -0.0, 1e300, math.inf, -math.inf, complex(-0.0, math.nan)],
    ids=[*"abcdefghi"],
)
def test_numbers_print_as_themselves(library: Library, number: Any) -> None:
    """The source has the very number: its type, the sign of a zero, any size."""
    given: list[Any] = []
    op = library.define("note(Tensor x, Scalar number) -> Tensor").op

    def note(x: Any, number: Any) -> Any:
        given.append(number)
        return x

    library.impl(op, note, "NumPy")
    p = Program()
    graph = p.graph(p.call(op, p.input("x", matrix()), number))
    executed(graph)(matrix())
    before, after = given
    assert type(after) is type(before)
    # Packed, for no equality tells signs of zeros and NaNs apart.
    assert pickle.dumps(after) == pickle.dumps(before)


def test_values_without_a_source_go_by_names() -> None:
    """dtypes, arrays and other objects are globals of the function."""
    p = Program()
    x = p.input("x", matrix())
    small = p.call(ops.zeros.default, (2, 3), dtype=np.dtype("float32"))
    classes = p.call(ops.full.default, [2, 3], 1, dtype=np.int64)
    graph = p.graph(p.call(ops.add.Tensor, p.call(ops.add.Tensor, x, small), classes))
    assert "dtype=float32)" in graph.code
    assert graph.namespace["float32"] == np.dtype("float32")
    assert graph.namespace["int64"] is np.int64
    same(executed(graph)(matrix()), matrix() + 1)


def test_names_are_valid_and_hide_nothing() -> None:
    """Whatever inputs and operators are called, names are unique and new."""
    p = Program()
    wanted = ["x", "x", "def", "print", "ops", "f", "1a", "a b", "", "__class__", "é;"]
    wanted += [
        "args",
        "kwargs",
        "mul",
        "mul_1",
        "match",
        "self",
        "constant",
        "float64",
        HOSTILE,
    ]
    inputs = [p.input(name, matrix() + n) for n, name in enumerate(wanted)]
    node = inputs[0]
    for each in inputs:
        node = p.call(ops.mul.Tensor, node, each)
        node = p.call(ops.add.Tensor, node, p.constant(matrix()))
        node = p.call(ops.abs.default, node)
    graph = p.graph(node, name="def")
    function = ast.parse(graph.code).body[0]
    assert isinstance(function, ast.FunctionDef)
    stored = [a.arg for a in function.args.args]
    for statement in function.body[:-1]:
        assert isinstance(statement, ast.Assign)
        stored += [ast.unparse(target) for target in statement.targets]
    names = [*stored, *graph.namespace]
    assert len({*names}) == len(names)
    assert not [n for n in names if n in dir(builtins) or keyword.iskeyword(n)]
    arrays = [p.values[each] for each in inputs]
    same(executed(graph)(*arrays), p.values[node])


def test_no_text_from_outside_becomes_code(library: Library) -> None:
    """File names, lines, shapes and guards stay in comments, strings in literals."""
    text: list[str] = []
    op = library.define("say(Tensor x, str text) -> Tensor").op

    def say(x: Any, said: str) -> Any:
        text.append(said)
        return x

    library.impl(op, say, "NumPy")
    code = compile("x\n" * 3, HOSTILE, "exec")
    spec = Spec((HOSTILE, 2), HOSTILE)
    x = Node(Kind.PLACEHOLDER, (HOSTILE,), None, spec)
    node = Node(op, (x, HOSTILE), {}, spec, (code, 4))

    class Guards:
        guards = (HOSTILE,)

        def check(self, *shapes: Any) -> None:
            """Accept everything."""

    graph = Graph(HOSTILE, [x], [node], [node], guards=Guards())
    (function,) = ast.parse(graph.code).body
    assert isinstance(function, ast.FunctionDef)
    call, result = function.body
    assert isinstance(call, ast.Assign)
    assert isinstance(result, ast.Return)
    executed(graph)(matrix())
    graph.compile(check=False)(matrix())
    assert text == [HOSTILE, HOSTILE]


def test_operators_of_other_namespaces_go_by_names(library: Library) -> None:
    """Only ours are found in ``ops``; arguments may be called as Python's keywords."""
    op = library.define("twice(Tensor x, *, Scalar lambda) -> Tensor").op

    def twice(x: Any, **named: Any) -> Any:
        return x * named["lambda"]

    library.impl(op, twice, "NumPy")
    p = Program()
    graph = p.graph(p.call(op, p.input("x", matrix()), **{"lambda": 2}))
    name = f"{op.namespace}_twice_default"
    assert body(graph)[1] == f"twice = {name}(x, **{{'lambda': 2}})"
    assert graph.namespace[name] is op
    same(executed(graph)(matrix()), matrix() * 2)


class Pair(NamedTuple):
    """A container that is no plain one."""

    left: Any
    right: Any


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ((0, 1), "(neg, abs_1)"),
        ((0,), "(neg,)"),
        ([0, (1, None)], "[neg, (abs_1, None)]"),
        ({"a": 0, "b": [1]}, "{'a': neg, 'b': [abs_1]}"),
        (Pair(0, {"b": 1}), "unflatten([neg, abs_1])"),
    ],
)
def test_pytrees_are_taken_and_returned(result: Any, text: str) -> None:
    """Results print as the containers they are in."""
    p = Program()
    x, y = p.input("x", matrix()), p.input("y", matrix() + 1)
    nodes = [p.call(ops.neg.default, x), p.call(ops.abs.default, y)]
    leaves, out_spec = optree.tree_flatten(result)
    in_spec = structure(((0,), {"last": [1]}))
    graph = p.graph(
        *nodes[: len(leaves)], in_spec=in_spec, out_spec=out_spec, name="swap"
    )
    assert body(graph)[:2] == [
        "def swap(*args, **kwargs):",
        "[x, y] = flatten(args, kwargs)",
    ]
    assert body(graph)[-1] == f"return {text}"
    expected_leaves = [-matrix(), matrix() + 1][: len(leaves)]
    for function in (graph, executed(graph), graph.compile()):
        found = function(matrix(), last=[matrix() + 1])
        assert structure(found) == out_spec
        for one, other in zip(optree.tree_leaves(found), expected_leaves, strict=True):
            same(one, other)


def test_symbolic_sizes_are_read_from_inputs() -> None:
    """Sizes of inputs go by names, and what is computed of them is an expression."""
    env = ShapeEnv()
    rows, columns = env.create_symbols((2, 3), "x")
    if rows < columns:
        pass
    p = Program()
    x = p.input("x", matrix(), (rows, columns))
    flat = Node(ops.view.default, (x, [rows * columns]), {}, None)
    wide = Node(ops.expand.default, (flat, [rows, rows * columns]), {}, None)
    p.nodes += [flat, wide]
    graph = p.graph(wide, rows + 1, out_spec=structure((0, 0)), guards=env)
    assert graph.code.startswith("# guard: s0 < s1  (x.shape[0] < x.shape[1]), at ")
    assert body(graph)[1:] == [
        "def f(x):",
        "s0 = x.shape[0]",
        "s1 = x.shape[1]",
        "view = ops.view.default(x, [s0*s1])",
        "expand = ops.expand.default(view, [s0, s0*s1])",
        "return (expand, s0 + 1)",
    ]
    other = np.arange(12.0).reshape(3, 4)
    for function in (graph, executed(graph), graph.compile()):
        expanded, number = function(other)
        same(expanded, np.broadcast_to(np.arange(12.0), (3, 12)))
        assert number == 4


def test_deep_expressions_of_sizes_take_several_lines() -> None:
    """Python refuses source that nests deeply."""
    env = ShapeEnv()
    (size,) = env.create_symbols((3,), "x")
    number = size
    for divisor in range(2, 300):
        number = (number * size + 1) // divisor % 7 + size
    p = Program()
    x = p.input("x", np.arange(3.0), (size,))
    node = Node(ops.mul.Scalar, (x, number), {}, None)
    p.nodes.append(node)
    graph = p.graph(node, guards=env)
    expected = 5
    for divisor in range(2, 300):
        expected = (expected * 5 + 1) // divisor % 7 + 5
    for function in (graph, executed(graph), graph.compile()):
        same(function(np.arange(5.0)), np.arange(5.0) * expected)


def test_a_size_that_no_input_has_is_refused() -> None:
    """The function could not know it."""
    (size,) = ShapeEnv().create_symbols((3,), "y")
    p = Program()
    node = Node(ops.mul.Scalar, (p.input("x", matrix()), size + 1), {}, None)
    graph = Graph("f", p.inputs, [node], [node])
    for use in (lambda: graph.code, graph.compile, lambda: graph(matrix())):
        with pytest.raises(GraphSizeError) as caught:
            use()
        assert str(caught.value) == (
            "graph f uses the size s0, which no input has\n"
            "  what to do: make an array with a dimension of this size an input"
        )
