"""Passes: graphs made simpler. Each returns a new graph that shares nodes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final

from ..nested import is_nested
from .dtypes import is_dtype
from .effects import Effects
from .memory import Memory
from .node import Kind, Node, mapped_arguments

if TYPE_CHECKING:
    from .graph import Graph

#: Values of these are the same where they are equal.
_PLAIN: Final = frozenset((int, bool, str, type(None)))


def without_dead_code(graph: Graph, keep_random: bool) -> list[Node]:
    """Return the nodes that `Graph.eliminate_dead_code` keeps."""
    effects = Effects()
    needed = {value for value in graph.outputs if type(value) is Node}
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        effect = effects.of(node)
        stays = effect.is_needed or (keep_random and effect.is_random)
        if stays or node in needed:
            needed.update(node.inputs)
            kept.append(node)
    return kept[::-1]


def without_common_subexpressions(graph: Graph) -> tuple[list[Node], list[Any]]:
    """Return the nodes and the outputs of `Graph.eliminate_common_subexpressions`."""
    search = _CommonSubexpressions(graph)
    nodes = [kept for node in graph.nodes if (kept := search.visit(node)) is not None]
    return nodes, [search.replaced(value) for value in graph.outputs]


class _CommonSubexpressions:
    """Finds nodes that compute what an earlier one has computed."""

    def __init__(self, graph: Graph) -> None:
        self._effects: Final = Effects()
        self._memory: Final = Memory(graph, self._effects)
        #: What takes the place of nodes that are left out, or have other arguments now.
        self._replacements: Final[dict[Node, Node]] = {}
        #: By operator and arguments: the node, and how it stands in the old graph.
        self._found: Final[dict[Hashable, tuple[Node, Node]]] = {}
        #: How often the memory of each group has been written to so far.
        self._writes: Final[dict[Node, int]] = {}

    def replaced(self, value: Any) -> Any:
        """Return what stands in the new graph for a leaf of an argument."""
        return self._replacements.get(value, value) if type(value) is Node else value

    def visit(self, node: Node) -> Node | None:
        """Return the node for the new graph, None if an earlier one stands for it."""
        effect = self._effects.of(node)
        is_pure = not (effect.is_needed or effect.is_random)
        key = self._key(node) if is_pure else None
        for each in self._effects.written(node):
            group = self._memory.group(each)
            self._writes[group] = self._writes.get(group, 0) + 1
        if key in self._found:
            kept, old = self._found[key]
            if self._memory.may_replace(old, node):
                self._memory.replace(old, node)
                self._replacements[node] = kept
                return None
        new = self._rebuilt(node)
        if key is not None:
            self._found.setdefault(key, (new, node))
        return new

    def _rebuilt(self, node: Node) -> Node:
        """Return a node with the arguments that it has in the new graph."""
        if not any(each in self._replacements for each in node.inputs):
            return node
        args, kwargs = mapped_arguments(node, self.replaced)
        new = Node(node.op, args, kwargs or None, node.spec, node.source)
        self._replacements[node] = new
        return new

    def _key(self, node: Node) -> Hashable:
        """Return what is equal only for nodes that compute the same."""
        if node.op is Kind.CONSTANT:
            return node.op, id(node.args[0])
        named = sorted((node.kwargs or {}).items())
        named_keys = tuple((name, self._value_key(value)) for name, value in named)
        return node.op, self._value_key(node.args), named_keys

    def _value_key(self, value: object) -> Hashable:
        kind = type(value)
        if isinstance(value, Node):
            # What is read before a write is another value than what is read after it.
            group = self._memory.group(value)
            return self.replaced(value), self._writes.get(group, 0)
        if is_nested(value):
            return kind, *map(self._value_key, value)
        if kind in (float, complex):
            # Zeros have a sign, and no NaN is equal to itself.
            return kind, repr(value)
        if kind in _PLAIN or (is_dtype(value) and kind is not type):
            return kind, value
        # Sizes are equal only if they are the same; of others nothing is known.
        return kind, id(value)
