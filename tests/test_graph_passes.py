"""Passes over graphs: what they leave out, and what they must not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from keyslot import ops
from keyslot.transforms.graph import Graph, Node

from .arrays import matrix, same
from .dispatching import operator
from .graph_building import Program, structure


def called(graph: Graph) -> list[str]:
    """Return the names of the operators that a graph calls."""
    nodes = [node for node in graph.nodes if hasattr(node.op, "qualified_name")]
    return [node.op.qualified_name for node in nodes]


def pair(p: Program, *results: Node) -> Graph:
    """Return the graph of a program with several results."""
    return p.graph(*results, out_spec=structure((0,) * len(results)))


# --- dead code ------------------------------------------------------------------------


def test_what_nothing_uses_is_left_out() -> None:
    """With all that only it uses, constants too; the graph itself stays as it is."""
    p = Program()
    x = p.input("x", matrix())
    used = p.call(ops.neg.default, x)
    p.call(ops.tanh.default, p.call(ops.mul.Tensor, x, p.constant(matrix())))
    graph = p.graph(used)
    assert graph.eliminate_dead_code().nodes == [used]
    assert len(graph.nodes) == 4


def test_writes_stay() -> None:
    """In place or to ``out``, whoever uses the results."""
    p = Program()
    x = p.input("x", matrix())
    copy = p.call(ops.clone.default, x)
    p.call(ops.add_.Tensor, copy, x)
    p.call(ops.mul.out, x, x, out=p.call(ops.clone.default, x))
    kept = p.graph(x).eliminate_dead_code()
    assert called(kept) == ["clone.default", "add_.Tensor", "clone.default", "mul.out"]


def test_random_numbers_are_drawn_unless_told_otherwise() -> None:
    """Without a draw, later ones would give other numbers."""
    p = Program()
    p.call(ops.rand.default, [2])
    graph = p.graph(p.input("x", matrix()))
    assert called(graph.eliminate_dead_code()) == ["rand.default"]
    assert not called(graph.eliminate_dead_code(keep_random=False))


def test_operators_without_results_stay() -> None:
    """They are called for something else."""
    seen: list[Any] = []
    with operator("note(Tensor x) -> ()", NumPy=seen.append) as (_, op):
        p = Program()
        x = p.input("x", matrix())
        p.call(op, x)
        p.call(op, x)
        graph = p.graph(x)
        simpler = graph.eliminate_common_subexpressions().eliminate_dead_code()
        assert len(simpler.nodes) == 2
        seen.clear()
        simpler.compile()(matrix())
    assert len(seen) == 2


# --- common subexpressions ------------------------------------------------------------


def test_equal_calls_are_made_once() -> None:
    """Also what is computed of them; names and results follow."""
    p = Program()
    x = p.input("x", matrix())
    first = p.call(ops.sum.dim_IntList, x, [1], keepdim=True, dtype=np.dtype("float64"))
    again = p.call(ops.sum.dim_IntList, x, [1], dtype=np.dtype("float64"), keepdim=True)
    products = [p.call(ops.mul.Tensor, x, total) for total in (first, again)]
    graph = p.graph(p.call(ops.add.Tensor, *products))
    simpler = graph.eliminate_common_subexpressions()
    assert called(simpler) == ["sum.dim_IntList", "mul.Tensor", "add.Tensor"]
    assert "add = ops.add.Tensor(mul, mul)" in simpler.code
    assert len(graph.nodes) == 5
    same(simpler(matrix()), graph(matrix()))


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), (0.0, -0.0), (1.0, 1 + 0j), (2, 3), (1, "1"), (1, None)],
)
def test_numbers_are_compared_with_their_types(one: Any, other: Any) -> None:
    """Equal numbers of other types are other arguments, and so are signs of zeros."""
    p = Program()
    x = p.input("x", matrix())
    made = [Node(ops.mul.Scalar, (x, number)) for number in (one, other, one, other)]
    p.nodes += made
    total = Node(ops.cat.default, (made,))
    p.nodes.append(total)
    simpler = p.graph(total).eliminate_common_subexpressions()
    assert called(simpler) == ["mul.Scalar", "mul.Scalar", "cat.default"]
    assert simpler.nodes[-1].args == ([*made[:2], *made[:2]],)


def test_not_a_number_is_the_same_argument_as_itself() -> None:
    """It is unequal to itself, and the calls are equal."""
    p = Program()
    x = p.input("x", matrix())
    made = [p.call(ops.mul.Scalar, x, float(text)) for text in ("nan", "nan")]
    graph = p.graph(p.call(ops.add.Tensor, *made))
    assert called(graph.eliminate_common_subexpressions()).count("mul.Scalar") == 1


def test_a_write_comes_between() -> None:
    """What is read before a write is not what is read after it."""
    p = Program()
    x = p.input("x", matrix())
    before = p.call(ops.neg.default, x)
    p.call(ops.mul_.Scalar, p.call(ops.select.int, x, 0, 1), 2)
    after = p.call(ops.neg.default, x)
    graph = p.graph(p.call(ops.sub.Tensor, before, after))
    simpler = graph.eliminate_common_subexpressions()
    assert called(simpler) == called(graph)
    same(simpler(matrix()), p.values[graph.outputs[0]])


def test_what_is_written_to_is_no_common_subexpression() -> None:
    """Each needs an array of its own, though they are equal when they are made."""
    p = Program()
    x = p.input("x", matrix())
    one, other = p.call(ops.neg.default, x), p.call(ops.neg.default, x)
    p.call(ops.mul_.Scalar, p.call(ops.select.int, one, 0, 1), 2)
    graph = p.graph(p.call(ops.sub.Tensor, one, other))
    simpler = graph.eliminate_common_subexpressions()
    same(simpler(matrix()), p.values[graph.outputs[0]])
    assert called(simpler).count("neg.default") == 2


def test_results_stay_arrays_of_their_own() -> None:
    """Callers may write to one of them, and to views of them."""
    p = Program()
    x = p.input("x", matrix())
    one, other = p.call(ops.neg.default, x), p.call(ops.neg.default, x)
    third = p.call(ops.tanh.default, p.call(ops.neg.default, x))
    graph = pair(p, one, p.call(ops.transpose.int, other, 0, 1), third)
    simpler = graph.eliminate_common_subexpressions()
    assert called(simpler).count("neg.default") == 2
    first, second, _ = simpler(matrix())
    assert not np.shares_memory(first, second)


def test_random_numbers_are_no_common_subexpressions() -> None:
    """Two draws are two."""
    p = Program()
    made = [p.call(ops.rand.default, [2]) for _ in range(2)]
    graph = p.graph(p.call(ops.sub.Tensor, *made))
    assert called(graph.eliminate_common_subexpressions()).count("rand.default") == 2


def test_one_array_is_one_constant() -> None:
    """Equal arrays are not: somebody may write to one of them."""
    p = Program()
    array = matrix()
    made = [p.constant(each) for each in (array, array, matrix())]
    graph = p.graph(p.call(ops.cat.default, made))
    simpler = graph.eliminate_common_subexpressions()
    assert simpler.nodes[-1].args == ([made[0], made[0], made[2]],)
