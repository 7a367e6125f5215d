"""`Node`: one step of a graph, and how its arguments are walked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import CodeType
from typing import TYPE_CHECKING, Any, final

from ..nested import is_nested, leaves, mapped

if TYPE_CHECKING:
    from ...runtime.frames import SourceLine

#: Where a node comes from: ``f_code`` and ``f_lasti`` of the calling frame. The line is
#: worked out when somebody asks for it.
RawSource = tuple[CodeType, int]


class Kind(Enum):
    """What a node is that calls no operator."""

    #: An input. Its argument is a name for it; a second one, where there is one, is the
    #: value that the program was traced with, and that it has to have.
    PLACEHOLDER = "placeholder"
    #: A value that the program has not computed. Its one argument is the value.
    CONSTANT = "constant"
    #: One of several results. Its arguments are the node that has them, and a number.
    ITEM = "getitem"


@final
class Node:
    """One array of a program: an input, a constant, or the result of an operator.

    A node stands for one value wherever it is an argument. An operator with several
    results, or with a list of them, has a node that may only be an argument of nodes of
    the kind ``ITEM``, one for each result that the program uses.

    A tracer makes one for each call of an operator, so making one does nothing else.
    """

    __slots__ = ("__weakref__", "args", "kwargs", "op", "source", "spec")

    def __init__(
        self,
        op: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        spec: Any = None,
        source: RawSource | None = None,
    ) -> None:
        #: The overload that it calls, or a `Kind`.
        self.op: Any = op
        #: The arguments by position, in lists and tuples to any depth: nodes in the
        #: place of arrays, symbolic sizes, and plain values.
        self.args: tuple[Any, ...] = args
        #: The arguments by name; None stands for none.
        self.kwargs: dict[str, Any] | None = kwargs
        #: What is known of the result: something with a ``shape`` and a ``dtype``; a
        #: list or tuple of those; a symbolic size; or None for nothing.
        self.spec: Any = spec
        #: Where in the program it was called.
        self.source: RawSource | None = source

    def __repr__(self) -> str:
        from .literals import described

        called = self.op.value if isinstance(self.op, Kind) else self.op.qualified_name
        spec = described(self.spec)
        return f"<Node {called}: {spec}>" if spec else f"<Node {called}>"

    @property
    def location(self) -> SourceLine | None:
        """The file and line that it comes from, if the tracer has noted them."""
        from .source_lines import SourceLines

        return SourceLines().find(self.source)

    @property
    def inputs(self) -> list[Node]:
        """The nodes among its arguments, in order, each as often as it is one."""
        return [value for value in arguments(self) if type(value) is Node]


def has_node(value: Any) -> bool:
    """Whether an argument is a node, or holds one."""
    if is_nested(value):
        return any(map(has_node, value))
    return type(value) is Node


def arguments(node: Node) -> Iterator[Any]:
    """Yield the arguments of a node, and for lists and tuples what is in them."""
    yield from leaves(node.args)
    if node.kwargs:
        yield from leaves(node.kwargs.values())


def mapped_arguments(
    node: Node, change: Callable[[Any], Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a node with each leaf replaced."""
    args = tuple([mapped(value, change) for value in node.args])
    if not node.kwargs:
        return args, {}
    return args, {name: mapped(value, change) for name, value in node.kwargs.items()}
