"""What a drawing of a graph shows: boxes, and arrows between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from .defaults import said_arguments
from .dtypes import dtype_name, is_dtype
from .literals import comment, described, nested, written
from .node import Kind, Node, has_node
from .sizes import is_size
from .source_lines import SourceLines

if TYPE_CHECKING:
    from .graph import Graph

#: Longer arguments are cut off.
_LONGEST = 40


class Box(NamedTuple):
    """A node as a box."""

    #: ``input``, ``constant``, ``operator``, ``output`` or ``more``.
    kind: str
    #: What stands in it, line by line.
    lines: tuple[str, ...]
    #: Where the node comes from; empty where that is not known.
    source: str = ""


class Picture(NamedTuple):
    """Boxes in an order in which arrows go forward, and the arrows."""

    boxes: list[Box]
    #: From which box to which, by their numbers.
    arrows: list[tuple[int, int]]


def picture(graph: Graph, limit: int) -> Picture:
    """Return what a drawing shows: ``limit`` nodes at most, the first ones.

    A last box says how many there are beside them.
    """
    boxes: list[Box] = []
    arrows: list[tuple[int, int]] = []
    numbers: dict[Node, int] = {}
    lines = SourceLines()
    for node in islice(chain(graph.placeholders, graph.nodes), limit):
        number = numbers[node] = len(boxes)
        boxes.append(_box(node, lines.text(node.source)))
        arrows += _arrows(node.inputs, numbers, number)
    more = len(graph.placeholders) + len(graph.nodes) - len(boxes)
    if more > 0:
        last = Box("more", (f"and {more:,} more nodes",))
    else:
        values = [_text(value) for value in graph.outputs if not has_node(value)]
        last = Box("output", ("return", *_shortened(values)))
        arrows += _arrows(graph.outputs, numbers, len(boxes))
    return Picture([*boxes, last], arrows)


def _arrows(
    sources: list[Any], numbers: dict[Node, int], target: int
) -> Iterator[tuple[int, int]]:
    """Yield the arrows to a box, one from each source."""
    found = {n: None for s in sources if (n := numbers.get(s)) is not None}
    yield from ((number, target) for number in found)


def _box(node: Node, source: str) -> Box:
    spec = comment(described(node.spec))
    if node.op is Kind.PLACEHOLDER:
        name = comment(str(node.args[0])) if node.args else "input"
        return Box("input", tuple(filter(None, (name, spec))), comment(source))
    if node.op is Kind.CONSTANT:
        return Box("constant", tuple(filter(None, ("constant", spec))))
    if node.op is Kind.ITEM:
        title = f"result {node.args[1]}"
    else:
        title = comment(node.op.qualified_name)
    lines = (title, *_shortened(_plain_arguments(node)), spec)
    return Box("operator", tuple(filter(None, lines)), comment(source))


def _plain_arguments(node: Node) -> list[str]:
    """Return the arguments that are no arrays and hold none."""
    if node.op is Kind.ITEM:
        return []
    args, kwargs = said_arguments(node)
    named = [(f"{name}=", value) for name, value in kwargs.items()]
    pairs = [*(("", value) for value in args), *named]
    return [
        f"{name}{nested(value, _text)}" for name, value in pairs if not has_node(value)
    ]


def _text(value: Any) -> str:
    """Return one value of an argument."""
    if is_dtype(value):
        return dtype_name(value)
    return str(value) if is_size(value) else written(value) or repr(value)


def _shortened(texts: list[str]) -> list[str]:
    joined = comment(", ".join(texts))
    if len(joined) > _LONGEST:
        joined = f"{joined[: _LONGEST - 3]}..."
    return [joined] if joined else []
