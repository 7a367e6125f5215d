"""Which values of a graph may share memory, and which of that is written to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from .effects import Effects
from .node import Kind, Node

if TYPE_CHECKING:
    from .graph import Graph


class Memory:
    """The values of a graph in groups that may share memory.

    Views and what they are views of are in one group, as their schemas say. So are all
    inputs and constants: nobody knows what callers pass.
    """

    def __init__(self, graph: Graph, effects: Effects) -> None:
        self._parents: Final[dict[Node, Node]] = {}
        constants = (n for n in graph.nodes if n.op is Kind.CONSTANT)
        self._join_all([*graph.placeholders, *constants])
        for node in graph.nodes:
            self._join_all([node, *effects.viewed(node)])
        outputs = (each for each in graph.outputs if type(each) is Node)
        #: Groups with a result of the program in them.
        self._returned: Final = {self.group(node) for node in outputs}
        self._written: Final = {
            self.group(each) for node in graph.nodes for each in effects.written(node)
        }

    def group(self, node: Node) -> Node:
        """Return one node of the group, for all of them the same."""
        parents = self._parents
        root = parents.setdefault(node, node)
        while (parent := parents[root]) is not root:
            # Halving the paths keeps them short.
            parents[root] = parents[parent]
            root = parent
        return root

    def _join_all(self, nodes: Iterable[Node]) -> None:
        groups = [self.group(node) for node in nodes]
        for group in groups[1:]:
            self._parents[self.group(group)] = self.group(groups[0])

    def may_replace(self, one: Node, other: Node) -> bool:
        """Whether one of two equal values may take the place of the other.

        Not where either is written to, and not where both are results: callers may
        write to one of them, and the other must not change. That they are in one group
        is no reason: an operator such as ``reshape`` returns a view or a copy.
        """
        groups = {self.group(one), self.group(other)}
        return not groups <= self._returned and not groups & self._written

    def replace(self, one: Node, other: Node) -> None:
        """Note that one value takes the place of the other."""
        first, second = self.group(one), self.group(other)
        if first is not second:
            self._parents[second] = first
            if second in self._returned:
                self._returned.add(first)
