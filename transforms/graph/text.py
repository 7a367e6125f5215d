"""A graph as the source of a Python function.

What a call looks like is left to subclasses: printed graphs call overloads, compiled
ones the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .literals import Literals, comment, described, nested
from .names import Names, wanted_name
from .node import Kind, Node, arguments
from .results import results_text
from .sizes import SizeText, is_size
from .source_lines import SourceLines

if TYPE_CHECKING:
    from .graph import Graph

_INDENT: Final = "    "
#: Where arguments are pytrees.
_PARAMETERS: Final = ("args", "kwargs")


class FunctionText(NamedTuple):
    """A function as source, and what it needs beside the source."""

    name: str
    code: str
    #: Its globals: operators or kernels, constants, dtypes.
    namespace: dict[str, Any]


class FunctionWriter:
    """Writes a graph as a function, one line a node."""

    def __init__(self, graph: Graph, reserved: tuple[str, ...] = ()) -> None:
        self.graph: Final = graph
        self.names: Final = Names((*_PARAMETERS, *reserved))
        self.name: Final = self.names.new(graph.name)
        self.literals: Final = Literals(self.names)
        self.sizes: Final = SizeText(graph, self.names)
        #: The name of each node so far.
        self.of: Final[dict[Node, str]] = {}
        self._lines: Final = SourceLines()

    def write(self) -> FunctionText:
        """Return the function."""
        for node in self.graph.placeholders:
            self.of[node] = self.names.new(wanted_name(node))
        self.sizes.bind(self.of)
        start = [*self.unpacking(), *self.checks()]
        steps = [*self.steps(), *self.size_lines(self.graph.outputs)]
        body = [*start, *self.sizes.symbol_lines(), *steps, f"return {self.results()}"]
        lines = [f"def {self.name}({self.parameters()}):", *(_INDENT + b for b in body)]
        return FunctionText(self.name, "\n".join(lines) + "\n", self.literals.bound)

    def parameters(self) -> str:
        """Return the parameters of the function."""
        if not self.graph.inputs.are_arrays:
            return "*args, **kwargs"
        return ", ".join(self.of[node] for node in self.graph.placeholders)

    def unpacking(self) -> Iterator[str]:
        """Yield the line that takes the arrays out of the arguments."""
        if not self.graph.inputs.are_arrays:
            flatten = self.literals.bind(self.graph.inputs.flatten, "flatten")
            targets = ", ".join(self.of[node] for node in self.graph.placeholders)
            yield f"[{targets}] = {flatten}(args, kwargs)"

    def checks(self) -> Iterator[str]:
        """Yield the lines that check the inputs."""
        yield from ()

    def steps(self) -> Iterator[str]:
        """Yield the lines that compute."""
        for node in self.graph.nodes:
            yield from self.step(node)

    def step(self, node: Node) -> Iterator[str]:
        """Yield the lines that compute one node."""
        if node.op is Kind.CONSTANT:
            self.of[node] = self.literals.bind(self.constant(node.args[0]), "constant")
            return
        yield from self.size_lines(arguments(node))
        call = self.item(node) if node.op is Kind.ITEM else self.call(node)
        name = self.of[node] = self.names.new(wanted_name(node))
        yield f"{name} = {call}{self.comment(node)}"

    def constant(self, value: Any) -> Any:
        """Return a constant as the function has it."""
        return value

    def call(self, node: Node) -> str:
        """Return the call of a node's operator."""
        raise NotImplementedError

    def item(self, node: Node) -> str:
        """Return the text of one of several results."""
        source, index = node.args
        return f"{self.of[source]}[{index:d}]"

    def argument(self, value: Any) -> str:
        """Return the source of an argument."""
        return nested(value, self.leaf)

    def leaf(self, value: Any) -> str:
        """Return the source of one value in an argument."""
        if type(value) is Node:
            return self.of[value]
        return self.sizes.text(value) if is_size(value) else self.literals.text(value)

    def results(self) -> str:
        """Return the source of what the function returns."""
        items = [self.leaf(value) for value in self.graph.outputs]
        return results_text(items, self.graph.out_spec, self.literals)

    def size_lines(self, values: Any) -> Iterator[str]:
        """Yield the lines that compute parts of symbolic sizes."""
        sizes = [value for value in values if is_size(value)]
        if sizes:
            yield from self.sizes.lines(sizes)

    def comment(self, node: Node) -> str:
        """Return what is known of a node, as a comment."""
        facts = [described(node.spec), self._lines.text(node.source)]
        text = ", ".join(fact for fact in facts if fact)
        return f"  # {comment(text)}" if text else ""
