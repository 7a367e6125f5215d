"""Graphs compiled to plain functions: straight-line calls of one backend's kernels."""

from __future__ import annotations

import linecache
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from textwrap import indent
from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import DISPATCHER, SPACE
from ...runtime.adapters import compiled
from ...runtime.errors import GraphInputError
from .backend_values import BackendValues
from .kernels import KernelArgument, Kernels
from .literals import nested
from .node import Kind, Node
from .sizes import is_size
from .text import FunctionWriter

if TYPE_CHECKING:
    from .graph import Graph

_serial: Final = count(1)


def compile_graph(graph: Graph, backend: str, check: bool) -> Callable[..., Any]:
    """Return the function of `Graph.compile`.

    What it needs is in its closure, so that looking it up costs what a local does.
    Tracebacks and debuggers show its source, and `inspect.getsource` has it.
    """
    writer = _Compiler(graph, backend, check)
    text = writer.write()
    code = (
        f"def make({', '.join(text.namespace)}):\n"
        f"{indent(text.code, '    ')}"
        f"    return {text.name}\n"
    )
    filename = f"<keyslot graph {text.name} for {backend}, {next(_serial)}>"
    function: Callable[..., Any] = compiled(code, filename)(*text.namespace.values())
    function.__qualname__ = text.name
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function


class _Compiler(FunctionWriter):
    """Writes calls of kernels, and drops values after their last use."""

    def __init__(self, graph: Graph, backend: str, check: bool) -> None:
        super().__init__(graph, ("make",))
        self._values: Final = BackendValues(graph.name, backend)
        self._kernels: Final = Kernels(graph.name, self._values.backend)
        self._check: Final = check

    def steps(self) -> Iterator[str]:
        for node, ended in zip(self.graph.nodes, self.graph.last_uses(), strict=True):
            yield from self.step(node)
            # Constants are no locals.
            names = [self.of[each] for each in ended if each.op is not Kind.CONSTANT]
            if names:
                yield f"del {', '.join(names)}"

    def constant(self, value: Any) -> Any:
        return self._values.array(value)

    def call(self, node: Node) -> str:
        kernel = self._kernels.kernel(node.op)
        name = self.literals.bind(kernel, f"{node.op.__name__}_kernel")
        arguments = map(self._argument, self._kernels.arguments(node))
        return f"{name}({', '.join(arguments)})"

    def _argument(self, argument: KernelArgument) -> str:
        text = nested(argument.value, self._value)
        if argument.convert is not None:
            text = f"{self.literals.bind(argument.convert, 'convert')}({text})"
        return text if argument.name is None else f"{argument.name}={text}"

    def _value(self, value: Any) -> str:
        return self.leaf(self._values.leaf(value))

    # --- checks -----------------------------------------------------------------------

    def checks(self) -> Iterator[str]:
        arrays = [n for n in self.graph.placeholders if hasattr(n.spec, "shape")]
        values = any(len(node.args) > 1 for node in self.graph.placeholders)
        if not self._check or not (arrays or values):
            return
        admit = self.literals.bind(
            _Admission(self.graph, self._values.backend), "admit"
        )
        names = [self.of[node] for node in self.graph.placeholders]
        slow = f"{admit}([{', '.join(names)}])"
        cls = _array_class(self._values.backend)
        if cls is None:
            yield slow
            return
        for node in arrays:
            yield f"if {' or '.join(self._differences(node, cls))}:"
            yield f"    {slow}"
        if values:
            yield slow
        if self.graph.guards is not None:
            check = self.literals.bind(self.graph.guards.check, "check_sizes")
            yield f"{check}({', '.join(f'{self.of[n]}.shape' for n in arrays)})"

    def _differences(self, node: Node, cls: type) -> Iterator[str]:
        """Yield what is true only of an input that needs a closer look."""
        name, spec = self.of[node], node.spec
        yield f"type({name}) is not {self.literals.bind(cls, cls.__name__)}"
        yield f"{name}.dtype is not {self._value(spec.dtype)}"
        if not any(map(is_size, spec.shape)):
            yield f"{name}.shape != {self.argument(tuple(spec.shape))}"
            return
        yield f"len({name}.shape) != {len(spec.shape)}"
        for dim, size in enumerate(spec.shape):
            if not is_size(size):
                yield f"{name}.shape[{dim}] != {size}"


class _Admission:
    """The checks of inputs in full, with their messages."""

    def __init__(self, graph: Graph, backend: str) -> None:
        self._graph: Final = graph
        self._backend: Final = backend

    def __call__(self, values: Sequence[Any]) -> None:
        """Raise GraphInputError for inputs that the function does not take."""
        for node, value in zip(self._graph.placeholders, values, strict=True):
            if hasattr(node.spec, "shape"):
                self._check_backend(value)
        self._graph.inputs.check(values)

    def _check_backend(self, value: object) -> None:
        found = DISPATCHER.arrays.lookup(type(value))
        if found is None or found.backend != self._backend:
            problem = (
                f"compiled for {self._backend}, it takes arrays of {self._backend}, not"
                f" {type(value).__name__}"
            )
            raise GraphInputError(self._graph.name, problem)


def _array_class(backend: str) -> type | None:
    """Return the class of most arrays of a backend, if its library is loaded."""
    for reference, declared in SPACE.array_types.items():
        module, _, name = reference.partition(":")
        if declared == backend and module in sys.modules:
            found = getattr(sys.modules[module], name, None)
            return found if isinstance(found, type) else None
    return None
