"""Graphs as modules of ``torch.fx``: they compute with PyTorch what ours does."""

from __future__ import annotations

from typing import Any

import numpy as np
import optree
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyslot import ops
from keyslot.runtime.errors import GraphBackendError
from keyslot.transforms.graph import Graph, Node
from keyslot.transforms.symbolic import ShapeEnv, sym_max

from ..arrays import matrix
from ..dispatching import operator
from ..graph_building import Program, structure
from ..test_graph_programs import ARRAYS, PLACES, PROGRAMS, recorded


def check(graph: Graph, *arrays: Any) -> Any:
    """Hold the module of a graph to the graph; return the module."""
    module = graph.to_fx()
    assert isinstance(module, torch.fx.GraphModule)
    module.graph.lint()
    found = module(*(torch.tensor(array) for array in arrays))
    expected = graph(*(array.copy() for array in arrays))
    pairs = zip(optree.tree_leaves(found), optree.tree_leaves(expected), strict=True)
    for one, other in pairs:
        other = torch.as_tensor(np.asarray(other))
        torch.testing.assert_close(torch.as_tensor(one), other, equal_nan=True)
    return module


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(PROGRAMS, st.lists(PLACES, min_size=1, max_size=3))
def test_random_programs(steps: Any, outputs: Any) -> None:
    """Each call is one of PyTorch's operator of the same name."""
    graph, _ = recorded(steps, outputs)
    check(graph, *ARRAYS)


def test_dtypes_constants_and_pytrees() -> None:
    """They become PyTorch's dtypes, buffers, and the same structure."""
    p = Program()
    x = p.input("x", matrix())
    constant = p.constant(np.arange(3, dtype="int32"))
    rounded = p.call(ops.sum.dim_IntList, x, [0], dtype=np.dtype("float32"))
    zeros = p.call(ops.zeros.default, [3])
    whole = p.call(ops.full.default, [3], 1, dtype="int16")
    spec = structure({"a": [0, 0], "b": (0, 0)})
    parts = [rounded, p.call(ops.mul.Tensor, constant, whole), zeros, 2.5]
    module = check(p.graph(*parts, out_spec=spec, name="pieces"), matrix())
    assert type(module).__name__ == "pieces"
    assert [name for name, _ in module.named_buffers()] == ["constant"]
    result = module(torch.tensor(matrix()))
    assert result["a"][0].dtype == torch.float32
    assert result["b"][0].dtype == torch.float64
    targets = [n.target for n in module.graph.nodes if n.op == "call_function"]
    assert torch.ops.aten.sum.dim_IntList in targets


def test_symbolic_sizes_are_computed_by_the_module() -> None:
    """It runs at other sizes."""
    env = ShapeEnv()
    rows, columns = env.create_symbols((2, 3), "x")
    p = Program()
    x = p.input("x", matrix(), (rows, columns))
    p.nodes += [
        flat := Node(ops.view.default, (x, [rows * columns])),
        scaled := Node(ops.mul.Scalar, (flat, sym_max(rows // 2 + columns, 3))),
    ]
    spec = structure([0, 0])
    graph = p.graph(scaled, columns % 2, out_spec=spec, guards=env)
    check(graph, matrix())
    check(graph, np.arange(20.0).reshape(5, 4))


def test_numbers_and_devices_become_those_of_pytorch() -> None:
    """It takes no numbers of NumPy, and knows no backends of ours."""
    p = Program()
    x = p.input("x", matrix())
    chosen = p.call(ops.select.int, x, 0, np.int64(1))
    scaled = p.call(ops.mul.Scalar, chosen, np.float64(0.5))
    made = p.call(ops.full.default, [3], 2, device="NumPy")
    check(p.graph(p.call(ops.add.Tensor, scaled, made)), matrix())


def test_what_pytorch_lacks_is_refused() -> None:
    """Operators by name, dtypes and constants."""
    with operator("f(Tensor x) -> Tensor") as (_, op):
        p = Program()
        node = Node(op, (p.input("x", matrix()),))
        p.nodes.append(node)
        with pytest.raises(GraphBackendError, match=f"torch.ops.aten has no {op.name}"):
            p.graph(node).to_fx()
    p = Program()
    graph = p.graph(p.constant(np.array(["text"])))
    with pytest.raises(GraphBackendError, match="a constant does not convert"):
        graph.to_fx()


def test_constants_and_dtypes_on_pytorch() -> None:
    """`run` and `compile` for a backend bring them into its form."""
    from keyslot import Library

    p = Program()
    x = p.input("x", matrix())
    total = p.call(ops.add.Tensor, x, p.constant(matrix()))
    graph = p.graph(p.call(ops.sum.dim_IntList, total, [0], dtype=np.dtype("float32")))
    with Library("keyslot", "IMPL") as library:
        library.impl("add.Tensor", torch.ops.aten.add.Tensor, "Torch")
        library.impl("sum.dim_IntList", torch.ops.aten.sum.dim_IntList, "Torch")
        given = torch.tensor(matrix())
        results = [graph.run(given, backend="Torch"), graph.compile("Torch")(given)]
    for result in results:
        assert result.dtype == torch.float32
        assert result.tolist() == [6.0, 10.0, 14.0]
