"""Operators without a derivative, called with Tensors that record: an error later on.

As PyTorch's fallback for autograd does, the call goes through, and what it returns has
an edge to a node that raises when a gradient arrives there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...runtime.errors import NotDifferentiableError
from ..layers import level_of, opened
from ..tensor import Tensor, note_write, recorded
from ..views import edge_of_written, give_memory, note_views
from .inplace import check_in_place, rebase
from .node import Node

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Kernel = Callable[..., Any]


class _NoDtype:
    """Stands for the dtype of what has none, as a number."""

    kind = ""


_NONE: Final = _NoDtype()


def unrecorded(op: OpOverload, kernel: Kernel) -> Kernel:
    """Return a kernel whose results raise where a gradient is asked of them.

    ``kernel`` takes what is in the Tensors of the innermost transform.
    """
    positional = [*enumerate(op.schema.positional)]
    written: Final = [(n, a.name) for n, a in positional if a.is_write]
    shared: Final = [n for n, argument in positional if argument.alias is not None]
    viewed: Final = shared[0] if op.schema.is_view and not written else None

    def call(*args: Any, **kwargs: Any) -> Any:
        level = level_of(args, kwargs)
        for place in shared:
            give_memory(args[place])
        for place, _ in written:
            edge_of_written(args[place])
        tracked = _tracked((*args, *kwargs.values()), level)
        inner = opened(args, level), opened(kwargs, level)
        if tracked and op.schema.is_out:
            raise NotDifferentiableError(op.name)
        bits = tracked[-1].bits if tracked else 0
        for place, name in written:
            check_in_place(op, name, args[place], level, bits)
        result = kernel(*inner[0], **inner[1])
        node = Node(_refuse, None, tuple(t.current_edge for t in tracked), op.name)
        for place, _ in written:
            note_write(args[place])
            if tracked:
                rebase(args[place], node, bits, None)
        if written:
            return args[written[0][0]] if op.schema.returns else None
        made = _wrapped(result, level, node if tracked else None, bits)
        if viewed is not None:
            before, after = args[:viewed], args[viewed + 1 :]

            def step(array: Any) -> Any:
                return op(*before, array, *after, **kwargs)

            note_views(made, args[viewed], step)
        return made

    return call


def _wrapped(result: Any, level: int, node: Node | None, bits: int) -> Any:
    if type(result) in (tuple, list):
        return type(result)(_wrapped(one, level, node, bits) for one in result)
    if node is not None and getattr(result, "dtype", _NONE).kind in "fc":
        return recorded(result, level, node, bits)
    return result if level > 0 or result is None else Tensor(result)


def _refuse(node: Node, grad: Any, record: bool) -> Any:
    raise NotDifferentiableError(node.name)


def _tracked(values: Any, level: int) -> list[Any]:
    """Return the Tensors of a level that have an edge, those in lists too."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, Tensor):
            if value.level == level and value.current_edge is not None:
                found.append(value)
        elif type(value) in (tuple, list):
            found += _tracked(value, level)
    return found
