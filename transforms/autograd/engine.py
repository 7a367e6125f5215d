"""The engine: from gradients of results back to those of what they were made of.

Nodes are visited in the reverse of the order in which they were made, so all parts of a
gradient have arrived when its node is reached. Nothing recurses: graphs may be as deep
as memory allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Any

from ... import generated as ops
from ...runtime.errors import SavedValuesFreedError
from .node import Edge, Node


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
    add: Callable[[Any, Any], Any] = ops.add.Tensor
    pending: dict[Node, Any] = {}
    heap: list[tuple[int, Node]] = []

    def send(edge: Edge, grad: Any) -> None:
        node, index = edge
        held = pending.get(node)
        if node.results > 1:
            if held is None:
                held = pending[node] = [None] * node.results
                heappush(heap, (-node.number, node))
            known = held[index]
            held[index] = grad if known is None else add(known, grad)
        elif held is None:
            pending[node] = grad
            heappush(heap, (-node.number, node))
        else:
            pending[node] = add(held, grad)

    for edge, grad in roots:
        send(edge, grad)
    while heap:
        _, node = heappop(heap)
        grad = pending.pop(node)
        if node.hooks:
            for hook in node.hooks:
                grad = hook(grad)
        function = node.function
        if function is freed:
            raise SavedValuesFreedError(node.name)
        grads = function(node, grad, record)
        if not keep and node.saved is not None:
            node.function, node.saved = freed, None
        for target, value in zip(node.edges, grads):
            if target is not None and value is not None:
                send(target, value)


def freed(node: Node, grad: Any, record: bool) -> Any:
    """Stand in the place of the function of a node whose saved values are gone."""
    raise SavedValuesFreedError(node.name)
