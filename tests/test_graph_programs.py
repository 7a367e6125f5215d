"""Random programs: however a graph is run, and whatever pass it went through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyslot import ops
from keyslot.transforms.graph import Graph, Node

from .graph_building import Program, executed, structure

Step = Callable[[Program, Node, Node, float], Node]
CONSTANT = np.arange(9.0).reshape(3, 3) / 4
CONSTANT.flags.writeable = False


def plus_total(p: Program, x: Node, y: Node, number: float) -> Node:
    """A reduction with a list of dimensions, and broadcasting."""
    total = p.call(ops.sum.dim_IntList, x, [0], True)
    return p.call(ops.add.Tensor, y, total, alpha=number)


def largest(p: Program, x: Node, y: Node, number: float) -> Node:
    """An operator with two results."""
    found = p.call(ops.max.dim, x, 1, True)
    return p.call(ops.maximum.default, y, p.item(found, 0))


def halves(p: Program, x: Node, y: Node, number: float) -> Node:
    """An operator that takes a list of arrays, and one that returns a list."""
    both = p.call(ops.cat.default, [x, y], 1)
    return p.item(p.call(ops.split.Tensor, both, 3, 1), 1)


def chosen(p: Program, x: Node, y: Node, number: float) -> Node:
    """Arrays of bools."""
    return p.call(ops.where.self, p.call(ops.gt.Scalar, x, number), x, y)


def row(p: Program, x: Node, y: Node, number: float) -> Node:
    """A view of a view, read later than it is made."""
    return p.call(ops.mul.Tensor, p.call(ops.select.int, x, 0, 1), y)


def written_copy(p: Program, x: Node, y: Node, number: float) -> Node:
    """A write to an array of the program's own."""
    return p.call(ops.add_.Tensor, p.call(ops.clone.default, x), y, alpha=number)


def written_input(p: Program, x: Node, y: Node, number: float) -> Node:
    """A write that the caller sees, and everything that shares the memory."""
    return p.call(ops.mul_.Scalar, p.inputs[0], number)


def constant(p: Program, x: Node, y: Node, number: float) -> Node:
    """An array that is no input."""
    return p.call(ops.add.Tensor, p.constant(CONSTANT), x)


def created(p: Program, x: Node, y: Node, number: float) -> Node:
    """An operator without arrays, with a dtype."""
    made = p.call(ops.full.default, [3, 3], number, dtype=np.dtype("float64"))
    return p.call(ops.sub.Tensor, made, x)


STEPS: tuple[Step, ...] = (
    lambda p, x, y, number: p.call(ops.mul.Tensor, x, y),
    lambda p, x, y, number: p.call(ops.add.Tensor, x, y, alpha=number),
    lambda p, x, y, number: p.call(ops.mul.Scalar, x, number),
    lambda p, x, y, number: p.call(ops.tanh.default, x),
    lambda p, x, y, number: p.call(ops.transpose.int, x, 0, 1),
    lambda p, x, y, number: p.call(ops.clamp.default, x, max=number),
    plus_total,
    largest,
    halves,
    chosen,
    row,
    written_copy,
    written_input,
    constant,
    created,
)
NUMBERS = st.sampled_from((1, 1.0, 2, -0.5, 0.0, -0.0, float("inf"), float("nan")))
PLACES = st.integers(0, 30)
PROGRAMS = st.lists(
    st.tuples(st.sampled_from(STEPS), PLACES, PLACES, NUMBERS), min_size=1, max_size=25
)


def recorded(
    steps: Sequence[tuple[Step, int, int, float]], outputs: Sequence[int]
) -> tuple[Graph, list[Any]]:
    """Return a program as a graph, and its results and inputs after a run."""
    program = Program()
    nodes = [program.input("x", ARRAYS[0]), program.input("y", ARRAYS[1])]
    for step, first, second, number in steps:
        x, y = nodes[first % len(nodes)], nodes[second % len(nodes)]
        nodes.append(step(program, x, y, number))
    results = [nodes[place % len(nodes)] for place in outputs]
    spec = structure((0,) * len(results))
    graph = program.graph(*results, out_spec=spec)
    return graph, [program.values[node] for node in (*results, *program.inputs)]


ARRAYS = (
    np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [2.0, 0.0, 1.5]]),
    np.array([[0.5, 1.0, -1.0], [2.0, -0.5, 0.125], [1.0, 4.0, -3.0]]),
)


def check(function: Callable[..., Any], expected: Sequence[Any]) -> None:
    """Hold a function to results, writes to inputs and shared memory of a run."""
    inputs = [array.copy() for array in ARRAYS]
    found = [*function(*inputs), *inputs]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    assert sharing(found) == sharing(expected)


def sharing(arrays: Sequence[Any]) -> list[bool]:
    """Return which arrays share memory with which."""
    return [np.may_share_memory(a, b) for a in arrays for b in arrays]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PROGRAMS, st.lists(PLACES, min_size=1, max_size=3))
def test_every_way_to_run_a_graph_is_the_program(
    steps: Sequence[tuple[Step, int, int, float]], outputs: Sequence[int]
) -> None:
    """Called, printed, compiled or simplified: results, writes and aliases too."""
    graph, expected = recorded(steps, outputs)
    check(graph, expected)
    check(executed(graph), expected)
    check(graph.compile(), expected)
    simpler = graph.eliminate_common_subexpressions().eliminate_dead_code()
    assert len(simpler.nodes) <= len(graph.nodes)
    check(simpler, expected)
    check(simpler.compile(check=False), expected)
    check(graph, expected)
