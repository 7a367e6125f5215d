"""Symbolic sizes in a graph: where the symbols come from, and sizes as source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...runtime.errors import GraphSizeError
from .names import Names
from .node import Node

if TYPE_CHECKING:
    from ..symbolic.writing import Writer
    from .graph import Graph

#: Expressions that nest deeper are computed in several lines.
_MAX_DEPTH: Final = 8


def is_size(value: Any) -> bool:
    """Whether a value is a symbolic number."""
    return hasattr(type(value), "operands")


def is_symbol(value: Any) -> bool:
    """Whether a value is a symbol, not something computed of symbols."""
    return is_size(value) and value.operation == "symbol"


def symbols(placeholders: Sequence[Node]) -> Iterator[tuple[Any, int, int | None]]:
    """Yield each symbol that inputs have, with the input and the dimension it is.

    The dimension is None where the input is the number itself. A symbol may come
    several times.
    """
    for place, node in enumerate(placeholders):
        if is_symbol(node.spec):
            yield node.spec, place, None
        for dim, size in enumerate(getattr(node.spec, "shape", ())):
            if is_symbol(size):
                yield size, place, dim


class SizeText:
    """Writes sizes, the symbols among them by names of their own."""

    def __init__(self, graph: Graph, names: Names) -> None:
        self._graph: Final = graph
        self._names: Final = names
        self._symbols: Final[dict[Any, str]] = {}
        self._depths: Final[dict[Any, int]] = {}
        self._writer: Writer | None = None

    def bind(self, names: dict[Node, str]) -> list[str]:
        """Return the lines that read the symbols from the inputs, whose names these are."""
        placeholders = self._graph.placeholders
        lines: list[str] = []
        for symbol, place, dim in symbols(placeholders):
            if symbol in self._symbols:
                continue
            name = self._symbols[symbol] = self._names.new(str(symbol))
            source = names[placeholders[place]]
            where = "" if dim is None else f".shape[{dim}]"
            lines.append(f"{name} = {source}{where}")
        return lines

    def lines(self, values: Sequence[Any]) -> list[str]:
        """Return the lines that must come before a text with these sizes."""
        from ..symbolic.expression import in_order

        found = [value for value in values if is_size(value)]
        lines: list[str] = []
        for each in in_order(found, self._depths):
            if is_symbol(each) and each not in self._symbols:
                raise GraphSizeError(self._graph.name, str(each))
            depths = [self._depths.get(part, 0) for part in each.operands]
            self._depths[each] = max(depths, default=-1) + 1
            if self._depths[each] > _MAX_DEPTH:
                name = self._names.new("size")
                lines.append(f"{name} = {self.text(each)}")
                self._writing.name(each, name)
                self._depths[each] = 0
        return lines

    def text(self, size: Any) -> str:
        """Return the source of a size."""
        return self._writing.text(size)

    @property
    def _writing(self) -> Writer:
        if self._writer is None:
            from ..symbolic.writing import Writer

            self._writer = Writer(self._symbols)
        return self._writer


class SizeValues:
    """The values of symbolic sizes for some inputs."""

    def __init__(self, graph: Graph, inputs: Sequence[Any]) -> None:
        self._graph: Final = graph
        self._values: Final[dict[Any, Any]] = {}
        for symbol, place, dim in symbols(graph.placeholders):
            given = inputs[place]
            self._values[symbol] = given if dim is None else given.shape[dim]

    def value(self, size: Any) -> Any:
        """Return the value of a size. Raises GraphSizeError where no input has it."""
        from ..symbolic.expression import in_order
        from ..symbolic.operations import OPERATIONS

        for each in in_order([size], self._values):
            if is_symbol(each):
                raise GraphSizeError(self._graph.name, str(each))
            operands = [self._values.get(o, o) for o in each.operands]
            self._values[each] = OPERATIONS[each.operation].function(*operands)
        return self._values[size]
