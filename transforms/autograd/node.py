"""The graph of what has been called: nodes and the edges between them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Final, TypeAlias

#: Where a gradient goes: a node that has one result, or one that has several and which
#: of them it is the gradient of.
Edge: TypeAlias = "Node | tuple[Node, int]"

#: Nodes are numbered as they are made: whatever a node was made of has a lower number.
_NUMBERS: Final = count(1)


class Node:
    """A call that was recorded: how gradients go back over it.

    Nodes and edges make up the graph that `run_backward` goes back over.
    """

    __slots__ = (
        "edges",
        "function",
        "hooks",
        "likes",
        "name",
        "number",
        "results",
        "saved",
    )

    def __init__(
        self,
        function: Callable[[Node, Any, bool], Any],
        saved: Any,
        edges: tuple[Edge | None, ...],
        name: str,
        results: int = 1,
    ) -> None:
        #: Takes the node, the gradients of its results and whether to record what it
        #: does; returns the gradients of its arguments, one for each edge. A node with
        #: one result is given its gradient, one with several a list.
        self.function = function
        #: What the function needs of the call.
        self.saved = saved
        #: Where the gradients of the arguments go; None where nobody needs one.
        self.edges = edges
        #: The operator, for messages.
        self.name = name
        #: How many results the call had.
        self.results = results
        #: Shape and dtype of each result, where there are several.
        self.likes: list[tuple[Any, Any]] | None = None
        #: The place among all nodes, in the order in which they were made.
        self.number = next(_NUMBERS)
        #: Functions to call with the gradients of results before anything else.
        self.hooks: list[Callable[[Any], Any]] | None = None

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


def edge_to(node: Node, index: int) -> Edge:
    """Return the edge to one of the results of a node."""
    return (node, index) if node.results > 1 else node


def end_of(edge: Edge) -> tuple[Node, int]:
    """Return the node that an edge leads to, and which of its results."""
    return edge if isinstance(edge, tuple) else (edge, 0)
