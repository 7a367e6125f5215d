"""Calls that start from keys: redispatch, one chosen key, the composite kernel.

They skip overload resolution and key sets, but not the schema: kernels get all
arguments here too, in the form that the schema gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .arguments import is_plain_list, type_name
from .cache import Entry, Handler
from .calls import complete
from .dispatch_errors import KernelForError, KeySetTypeError
from .handlers import Refusal, ordinary_handler, ready, select
from .recursion import watch
from .resolution import Missing, default_value
from .resolver import IMPLICIT
from .trace import report_calls, trace_line

if TYPE_CHECKING:
    from .op import OpOverload
    from .state import Setting


def redispatch(
    op: OpOverload, keyset: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call the kernel of the highest key of a set; see `OpOverload.redispatch`."""
    dispatcher = op.dispatcher
    if type(keyset) is not dispatcher.keyset_type:
        raise KeySetTypeError(op.name, type(keyset).__name__)
    setting = dispatcher.state.get().setting
    try:
        handler = op.direct[setting, keyset.bits]
    except KeyError:
        bits = keyset.bits & dispatcher.dispatch_bits
        handler = _load(op, setting, keyset.bits, bits, None)
    if (len(args), len(kwargs)) != op.cache.arity:
        args, kwargs = complete(op, args, kwargs)
    return handler(*args, **kwargs)


def call_at(
    op: OpOverload, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call the handler of one key; see `OpOverload.at`."""
    dispatcher = op.dispatcher
    setting = dispatcher.state.get().setting
    try:
        handler = op.direct[setting, key]
    except KeyError:
        index = dispatcher.space.index(dispatcher.backends.key(key))
        handler = _load(op, setting, key, (1 << index) - 1, index)
    if (len(args), len(kwargs)) != op.cache.arity:
        args, kwargs = complete(op, args, kwargs)
    return handler(*args, **kwargs)


def _load(
    op: OpOverload, setting: Setting, key: Any, bits: int, index: int | None
) -> Handler:
    """Return and keep the handler of the highest key, or of the one at ``index``."""
    dispatcher = op.dispatcher
    while True:
        version = dispatcher.version
        place, loaded = _loaded(op, setting, bits, index)
        handler: Handler = ready(op, loaded, bits)
        if setting.python:
            handler = watch(op, dispatcher.space.keys[place], handler)
        if setting.tracer is not None:
            line = trace_line(op, setting, bits, place, "redispatch")
            return report_calls(setting, line, handler)
        entry = Entry(op.direct, (setting, key), op, bits, setting.python, index)
        with dispatcher.lock:
            if dispatcher.version == version:
                op.cache.keep(entry, handler)
                return handler


def _loaded(
    op: OpOverload, setting: Setting, bits: int, index: int | None
) -> tuple[int, Any]:
    if index is None:
        return select(op, setting, bits)
    if setting.python:
        return index, getattr(op, op.dispatcher.space.keys[index])
    return index, ordinary_handler(op, op.dispatch_table, index)


def decompose(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the composite kernel of an operator; see `OpOverload.decompose`."""
    kernel = op.python_table.kernels.get(IMPLICIT)
    if kernel is None:
        return NotImplemented
    if (len(args), len(kwargs)) != op.cache.arity:
        args, kwargs = complete(op, args, kwargs)
    return kernel.load(op.name)(*args, **kwargs)


def kernel_for(op: OpOverload, types: tuple[type, ...]) -> Callable[..., Any]:
    """Return the kernel for argument types; see `OpOverload.kernel_for`."""
    defaults: list[type] = [
        type(default_value(argument)) if argument.has_default else Missing
        for argument in op.schema.arguments
    ]
    given = (*types, *defaults[len(types) :])
    cache = op.cache
    route = cache.route(given)
    if not route.unchanged or route.undecided() or any(map(is_plain_list, given)):
        shown = ", ".join(map(type_name, given))
        raise KernelForError(op.name, op.schema_text, shown)
    setting = op.dispatcher.state.get().setting
    bits = setting.keys(route.bits) & op.dispatcher.dispatch_bits
    _, handler = select(op, setting, bits)
    if isinstance(handler, Refusal):
        raise handler.error(setting, bits, route.brought.facts)
    function: Callable[..., Any] = ready(op, handler, bits)
    return function
