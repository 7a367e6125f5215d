"""Arguments that are defaults anyway, which readers of a graph need not see."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from .node import Node

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

#: Types of the defaults that are left out.
_PLAIN: Final = frozenset((bool, int, float, str, type(None)))


def said_arguments(node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a node that calls an operator, without defaults.

    Tracers record all arguments of the schema. Of those by position only the last ones
    can be left out.
    """
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
        # 0.0 is not -0.0.
        return bool(value.hex() == default.hex())
    return bool(value == default)
