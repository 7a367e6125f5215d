"""When values of a graph are used for the last time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .node import Node

if TYPE_CHECKING:
    from .graph import Graph


def last_uses(graph: Graph) -> list[list[Node]]:
    """Return for each node the values that nothing uses after it.

    Itself is among them if nothing uses it at all. Inputs that are never used are the
    caller's.
    """
    used = {value for value in graph.outputs if type(value) is Node}
    found = [list(_ending(node, used)) for node in reversed(graph.nodes)]
    return found[::-1]


def _ending(node: Node, used: set[Node]) -> Iterator[Node]:
    for each in (*node.inputs, node):
        if each not in used:
            used.add(each)
            yield each
