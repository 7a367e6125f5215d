"""The engine: from gradients of results back to those of what they were made of.

Nodes are visited in the reverse of the order in which they were made, so all parts of a
gradient have arrived when its node is reached. Nothing recurses: graphs may be as deep
as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

from ... import generated as ops
from ...runtime.errors import SavedValuesFreedError
from .node import Edge, Node

_add: Any = ops.add


class Onward(NamedTuple):
    """What a node returns that sends gradients elsewhere than along its edges."""

    edges: tuple[Edge | None, ...] = ()
    grads: tuple[Any, ...] = ()


def run_backward(
    roots: Iterable[tuple[Edge, Any]],
    *,
    record: bool = False,
    keep: bool = False,
) -> None:
    """Send gradients from some edges to the nodes at the end of the graph.

    ``record`` says whether what is computed on the way can be differentiated again,
    ``keep`` whether what the nodes have saved is kept for another run.

    Raises SavedValuesFreedError where a node's saved values are gone.
    """
    pending: dict[Node, Any] = {}
    heap: list[tuple[int, Node]] = []
    for edge, grad in roots:
        _send(edge, grad, pending, heap)
    while heap:
        _, node = heappop(heap)
        grad = pending.pop(node)
        if node.hooks is not None:
            # A hook may take itself away.
            for hook in tuple(node.hooks):
                grad = hook(grad)
        grads = node.function(node, grad, record)
        edges = node.edges
        if type(grads) is Onward:
            edges, grads = grads
        if not keep and node.saved is not None:
            node.function, node.saved = freed, None
        for target, value in zip(edges, grads, strict=False):
            if target is not None and value is not None:
                _send(target, value, pending, heap)


def _send(
    edge: Edge, grad: Any, pending: dict[Node, Any], heap: list[tuple[int, Node]]
) -> None:
    """Add a gradient to what waits for a node."""
    if isinstance(edge, tuple):
        _send_to_one(*edge, grad, pending, heap)
        return
    held = pending.get(edge)
    if held is None:
        pending[edge] = grad
        heappush(heap, (-edge.number, edge))
    else:
        pending[edge] = _add(held, grad)


def _send_to_one(
    node: Node,
    index: int,
    grad: Any,
    pending: dict[Node, Any],
    heap: list[tuple[int, Node]],
) -> None:
    """Add a gradient of one of several results to what waits for their node."""
    held = pending.get(node)
    if held is None:
        held = pending[node] = [None] * node.results
        heappush(heap, (-node.number, node))
    known = held[index]
    held[index] = grad if known is None else _add(known, grad)


def freed(node: Node, grad: Any, record: bool) -> Any:
    """Stand in the place of the function of a node whose saved values are gone."""
    raise SavedValuesFreedError(node.name)
