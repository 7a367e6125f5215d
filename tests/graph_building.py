"""Graphs made by hand for tests: each call is made and recorded at once."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import optree

from keyslot.transforms.graph import Graph, Kind, Node
from keyslot.transforms.nested import is_nested, mapped


class Spec(NamedTuple):
    """The shape and dtype of an array."""

    shape: tuple[Any, ...]
    dtype: Any


def spec_of(value: Any) -> Any:
    """Return what a node says of its result."""
    if is_nested(value):
        return mapped(value, spec_of)
    return Spec(value.shape, value.dtype) if hasattr(value, "dtype") else None


def structure(tree: Any) -> Any:
    """Return the structure of a pytree; its leaves do not matter."""
    return optree.tree_structure(tree)


class Program:
    """A program that is recorded while it runs."""

    def __init__(self) -> None:
        self.inputs: list[Node] = []
        self.nodes: list[Node] = []
        #: What each node is in this run.
        self.values: dict[Node, Any] = {}

    def input(
        self, name: str, array: Any, shape: tuple[Any, ...] | None = None
    ) -> Node:
        """Take an input: a copy, for the program may write to it."""
        value = np.array(array)
        spec = Spec(value.shape if shape is None else shape, value.dtype)
        node = Node(Kind.PLACEHOLDER, (name,), None, spec)
        self.inputs.append(node)
        self.values[node] = value
        return node

    def constant(self, array: Any) -> Node:
        """Take an array that the program has from elsewhere."""
        return self._record(Kind.CONSTANT, (array,), None, array)

    def call(self, op: Any, *args: Any, **kwargs: Any) -> Node:
        """Call an operator."""
        given = mapped(args, self._value)
        named = {name: mapped(value, self._value) for name, value in kwargs.items()}
        result = op(*given, **named)
        return self._record(op, args, kwargs or None, result)

    def item(self, node: Node, index: int) -> Node:
        """Take one of several results."""
        return self._record(Kind.ITEM, (node, index), None, self.values[node][index])

    def _value(self, leaf: Any) -> Any:
        return self.values[leaf] if isinstance(leaf, Node) else leaf

    def _record(self, op: Any, args: Any, kwargs: Any, value: Any) -> Node:
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # documented
        source = frame.f_code, frame.f_lasti
        node = Node(op, args, kwargs, spec_of(value), source)
        self.nodes.append(node)
        self.values[node] = value
        return node

    def graph(self, *outputs: Any, name: str = "f", **structure: Any) -> Graph:
        """Return the graph with these results: one, or those of ``out_spec``."""
        return Graph(name, self.inputs, self.nodes, [*outputs], **structure)


def executed(graph: Graph) -> Any:
    """Return the function that the printed source of a graph defines."""
    text = graph.printed()
    namespace = dict(text.namespace)
    exec(text.code, namespace)
    return namespace[text.name]
