"""Symbolic sizes in a graph: where the symbols come from, and sizes as source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...runtime.errors import GraphSizeError
from ..symbolic.expression import Expression, in_order
from ..symbolic.operations import OPERATIONS, SYMBOL
from ..symbolic.writing import Writer
from .names import Names
from .node import Node

if TYPE_CHECKING:
    from .graph import Graph

#: What has a longer source is computed in a line of its own: Python refuses source that
#: nests deeply, and what occurs in several places would be written in each.
_LONGEST: Final = 60


def is_size(value: Any) -> bool:
    """Whether a value is a symbolic number."""
    return isinstance(value, Expression)


def is_symbol(value: Any) -> bool:
    """Whether a value is a symbol, not something computed of symbols."""
    return isinstance(value, Expression) and value.operation == SYMBOL


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
        #: The line that reads each symbol from the inputs.
        self._symbols: Final[dict[Any, str]] = {}
        #: The sizes that have been written, and what they are made of.
        self._written: Final[set[Any]] = set()
        self._writer: Final = Writer({})

    def bind(self, names: dict[Node, str]) -> None:
        """Give names to the symbols that inputs have, which go by ``names``."""
        placeholders = self._graph.placeholders
        for symbol, place, dim in symbols(placeholders):
            if symbol not in self._symbols:
                name = self._names.new(str(symbol))
                self._writer.name(symbol, name)
                where = "" if dim is None else f".shape[{dim}]"
                self._symbols[symbol] = f"{name} = {names[placeholders[place]]}{where}"

    def symbol_lines(self) -> list[str]:
        """Return the lines that read those symbols that have been written."""
        return [
            line for symbol, line in self._symbols.items() if symbol in self._written
        ]

    def lines(self, values: Sequence[Any]) -> list[str]:
        """Return the lines that must come before a text with these sizes."""
        found = [value for value in values if is_size(value)]
        lines: list[str] = []
        for each in in_order(found, self._written):
            if is_symbol(each) and each not in self._symbols:
                raise GraphSizeError(self._graph.name, str(each))
            self._written.add(each)
            text = self.text(each)
            if len(text) > _LONGEST:
                name = self._names.new("size")
                lines.append(f"{name} = {text}")
                self._writer.name(each, name)
        return lines

    def text(self, size: Any) -> str:
        """Return the source of a size."""
        return self._writer.text(size)


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
        for each in in_order([size], self._values):
            if is_symbol(each):
                raise GraphSizeError(self._graph.name, str(each))
            operands = [self._values.get(o, o) for o in each.operands]
            self._values[each] = OPERATIONS[each.operation].function(*operands)
        return self._values[size]
