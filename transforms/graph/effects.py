"""What operators do besides returning something new, as their schemas say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..nested import is_nested
from .node import Kind, Node

#: The tag of operators that draw random numbers.
_RANDOM: Final = "nondeterministic_seeded"


class Effect(NamedTuple):
    """What an operator does."""

    #: It is called for more than its results: it writes to an argument, or returns
    #: nothing.
    is_needed: bool
    #: It draws random numbers.
    is_random: bool
    #: Its results may share memory with arguments.
    makes_views: bool


_NONE: Final = Effect(False, False, False)


class Effects:
    """Says of nodes what their operators do. Each schema is read once."""

    def __init__(self) -> None:
        self._known: Final[dict[Any, Effect]] = dict.fromkeys(Kind, _NONE)

    def of(self, node: Node) -> Effect:
        """Return what the operator of a node does."""
        op = node.op
        found = self._known.get(op)
        if found is None:
            found = self._known[op] = _effect(op)
        return found

    def written(self, node: Node) -> list[Node]:
        """Return the arguments of a node that its operator writes to."""
        if not self.of(node).is_needed:
            return []
        return [
            value
            for argument, given in _arguments(node)
            if argument.is_write
            for value in _nodes(given)
        ]

    def viewed(self, node: Node) -> list[Node]:
        """Return the arguments whose memory the result of a node may share.

        An item shares that of the node with all the results.
        """
        if node.op is Kind.ITEM:
            return [node.args[0]]
        if not self.of(node).makes_views:
            return []
        marks = _marks(node.op.schema.returns)
        if any(mark.is_wildcard for mark in marks):
            return node.inputs
        sets = {name for mark in marks for name in mark.before}
        return [
            value
            for argument, given in _arguments(node)
            if any(sets.intersection(mark.before) for mark in _marks([argument]))
            for value in _nodes(given)
        ]


def _effect(op: Any) -> Effect:
    schema = op.schema
    is_needed = schema.is_mutable or not schema.returns
    return Effect(is_needed, _RANDOM in op.tags, bool(_marks(schema.returns)))


def _marks(declared: Any) -> list[Any]:
    return [mark for each in declared for mark in each.marks if mark is not None]


def _arguments(node: Node) -> Iterator[tuple[Any, Any]]:
    """Yield each argument of the schema that the call gives, with what is given."""
    schema = node.op.schema
    yield from zip(schema.positional, node.args, strict=False)
    kwargs = node.kwargs or {}
    for argument in schema.arguments:
        if argument.name in kwargs:
            yield argument, kwargs[argument.name]


def _nodes(given: Any) -> Iterator[Node]:
    if type(given) is Node:
        yield given
    elif is_nested(given):
        for item in given:
            yield from _nodes(item)
