"""Graphs as Python source that calls overloads, for people and for ``exec``."""

from __future__ import annotations

from functools import lru_cache
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Final

from ... import generated
from .literals import comment
from .node import Node
from .text import FunctionText, FunctionWriter

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from .graph import Graph


#: Types of the defaults that are left out where they are arguments.
_PLAIN: Final = frozenset((bool, int, float, str, type(None)))


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
        args, kwargs = _said(node)
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


def _said(node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a node without those that are the defaults anyway."""
    names, defaults = _defaults(node.op)
    kwargs = {
        name: value
        for name, value in (node.kwargs or {}).items()
        if not (name in defaults and _is_same(value, defaults[name]))
    }
    args = node.args
    while args:
        name = names[len(args) - 1]
        if not (name in defaults and _is_same(args[-1], defaults[name])):
            break
        args = args[:-1]
    return args, kwargs


@lru_cache(maxsize=4096)
def _defaults(op: OpOverload) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of positional arguments, and the defaults that there are."""
    arguments = op.schema.arguments
    names = tuple(argument.name for argument in op.schema.positional)
    return names, {a.name: a.default for a in arguments if a.has_default}


def _is_same(value: Any, default: Any) -> bool:
    if type(value) is not type(default) or type(value) not in _PLAIN:
        return False
    if isinstance(value, float):
        return value.hex() == default.hex()  # 0.0 is not -0.0
    return bool(value == default)


def _is_plain(name: str) -> bool:
    """Whether a name can stand in source as it is."""
    return name.isidentifier() and not iskeyword(name)
