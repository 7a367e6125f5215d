"""What operators do besides returning something new, as their schemas say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .node import Kind, Node, is_nested

#: The tag of operators that draw random numbers.
_RANDOM: Final = "nondeterministic_seeded"


def is_random(node: Node) -> bool:
    """Whether the operator of a node draws random numbers."""
    return not isinstance(node.op, Kind) and _RANDOM in node.op.tags


def has_effect(node: Node) -> bool:
    """Whether the operator of a node is called for more than its results.

    It writes to an argument, or it returns nothing.
    """
    if isinstance(node.op, Kind):
        return False
    schema = node.op.schema
    return schema.is_mutable or not schema.returns


def written(node: Node) -> list[Node]:
    """Return the arguments of a node that its operator writes to."""
    if not has_effect(node):
        return []
    return [
        value
        for argument, given in _arguments(node)
        if argument.is_write
        for value in _nodes(given)
    ]


def aliased(node: Node) -> list[Node]:
    """Return the arguments whose memory the result of a node may share.

    An item shares that of the node with all the results.
    """
    if node.op is Kind.ITEM:
        return [node.args[0]]
    if isinstance(node.op, Kind):
        return []
    marks = [mark for each in node.op.schema.returns for mark in each.marks if mark]
    if any(mark.is_wildcard for mark in marks):
        return node.inputs
    sets = {name for mark in marks for name in mark.before}
    return [
        value
        for argument, given in _arguments(node)
        if any(mark and sets.intersection(mark.before) for mark in argument.marks)
        for value in _nodes(given)
    ]


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
