"""Forward mode from the formulas of backward, where there is none of its own.

The gradients of arguments are linear in the gradient ``u`` of a result: they are the
transpose of the Jacobian applied to ``u``. The gradient of that, with the tangents in
the place of the gradient of its results, is the Jacobian applied to the tangents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ... import generated as ops
from ..nested import leaves
from .backward import Backward
from .formulas import fact_name
from .node import Node
from .recording import fact

if TYPE_CHECKING:
    from .plan import Plan


def transposed(
    plan: Plan,
    n: int,
    results: Any,
    values: Mapping[str, Any],
    tangents: Mapping[str, Any],
) -> Any:
    """Return the tangent of one result."""
    from .functions import vjp

    node = _node(plan, results, values, tangents)

    def pull_back(cotangent: Any) -> Any:
        grads: Any = cotangent
        if len(results) > 1:
            grads = [cotangent if k == n else None for k in range(len(results))]
        found = node.function(node, grads, False)
        return [
            g for g, edge in zip(found, node.edges, strict=True) if edge is not None
        ]

    start = ops.zeros_like(results[n])
    found, push_forward = vjp(pull_back, start)
    wanted = [
        tangents[p.argument.name] for p in plan.tracked if p.argument.name in tangents
    ]
    flat = [*leaves(wanted)]
    vectors = [
        ops.zeros_like(g) if g is None else t for g, t in zip(found, flat, strict=True)
    ]
    return push_forward(vectors)[0]


def _node(
    plan: Plan, results: Any, values: Mapping[str, Any], tangents: Mapping[str, Any]
) -> Node:
    """Return the node that a recorded call would have made."""
    real = all(getattr(r.dtype, "kind", "f") != "c" for r in results)
    backward = Backward(plan, real)
    saved: dict[str, Any] = {"level": -1}
    edges: list[Any] = []
    end = Node(_nothing, None, (), "end")
    for p in plan.tracked:
        name = p.argument.name
        value = values[name]
        if p.is_list:
            saved[f"like_{p.name}"] = [(v.shape, v.dtype) for v in value]
            edges += [end if name in tangents else None for _ in value]
        else:
            has = name in tangents
            saved[f"like_{p.name}"] = (value.shape, value.dtype) if has else None
            edges.append(end if has else None)
    for p in backward.arguments:
        saved[f"s_{p.name}"] = values[p.argument.name]
        saved[f"c_{p.name}"] = -1
    for name, result in zip(plan.results, results, strict=True):
        saved[f"r_{name}"] = result
        saved[f"o_{name}"] = ([0], 0)
    for parameter, name, attribute in backward.facts:
        del parameter
        saved[fact_name(name, attribute)] = fact(values[name], attribute)
    node = Node(
        backward.function,
        tuple(saved[name] for name in backward.saved()),
        tuple(edges),
        plan.op.name,
        len(results),
    )
    node.likes = [(r.shape, r.dtype) for r in results]
    return node


def _nothing(node: Node, grad: Any, record: bool) -> tuple[()]:
    del node, grad, record
    return ()
