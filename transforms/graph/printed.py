"""Graphs as Python source that calls overloads, for people and for ``exec``."""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from ... import generated
from .defaults import said_arguments
from .literals import comment
from .node import Node
from .text import FunctionText, FunctionWriter

if TYPE_CHECKING:
    from .graph import Graph


def printed(graph: Graph) -> FunctionText:
    """Return a graph as a function; its guards stand above it as comments."""
    writer = _Printer(graph, ("ops",))
    text = writer.write()
    guards = [f"# guard: {comment(str(guard))}\n" for guard in graph.guard_list]
    namespace = {"ops": generated, **text.namespace}
    return FunctionText(text.name, "".join(guards) + text.code, namespace)


class _Printer(FunctionWriter):
    """Writes calls of overloads."""

    def call(self, node: Node) -> str:
        args, kwargs = said_arguments(node)
        arguments = [self.argument(value) for value in args]
        for name, value in kwargs.items():
            text = self.argument(value)
            plain = f"{name}={text}"
            arguments.append(plain if _is_plain(name) else f"**{{{name!r}: {text}}}")
        return f"{self._overload(node.op)}({', '.join(arguments)})"

    def _overload(self, op: Any) -> str:
        """Return the source of an overload: by its place in ``ops``, or by a name."""
        packet, _, overload = op.qualified_name.rpartition(".")
        if op.namespace == "keyslot" and _is_at(op, packet, overload):
            return f"ops.{packet}.{overload}"
        return self.literals.bind(op, f"{op.namespace}_{op.__name__}")


def _is_at(op: Any, packet: str, overload: str) -> bool:
    if not (_is_plain(packet) and _is_plain(overload)):
        return False
    return getattr(getattr(generated, packet, None), overload, None) is op


def _is_plain(name: str) -> bool:
    """Whether a name can stand in source as it is."""
    return name.isidentifier() and not iskeyword(name)
