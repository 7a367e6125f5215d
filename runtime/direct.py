"""Calls that start from keys: redispatch, one chosen key, the composite kernel.

They skip overload resolution and key sets, but not the schema: kernels get all
arguments here too, in the form that the schema gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .calls import complete
from .entries import Entry, Handler
from .errors import KernelForError, OverloadError
from .given import is_plain_list, type_name
from .handlers import (
    KeySetHandler,
    Refusal,
    checked,
    load_handler,
    reach,
    ready,
    select,
)
from .keyed_dispatch import choosing
from .keys import KeyEnum
from .keyset import KeySet
from .recursion import watch
from .resolution import Missing, default_value
from .resolver import IMPLICIT
from .space import NamedKey
from .trace import report_calls, trace_line

if TYPE_CHECKING:
    from .op import OpOverload
    from .state import Setting


def load_highest(op: OpOverload, setting: Setting, keyset: KeySet[Any]) -> Handler:
    """Return and keep the handler of the highest key of a set."""
    bits = keyset.bits & op.dispatcher.dispatch_bits
    return _load(op, setting, keyset.bits, bits, None)


def load_at(op: OpOverload, setting: Setting, key: str | NamedKey) -> Handler:
    """Return and keep the handler of one key."""
    dispatcher = op.dispatcher
    index = dispatcher.space.index(dispatcher.backends.key(key))
    return _load(op, setting, (key,), (1 << index) - 1, index)


def _load(
    op: OpOverload, setting: Setting, key: Any, bits: int, index: int | None
) -> Handler:
    """Return and keep the handler of the highest key, or of the one at ``index``."""
    entry = Entry(op.direct, (setting, key), op, bits, setting.python, index)

    def make() -> Handler:
        place, loaded = _loaded(op, setting, bits, index)
        handler: Handler = loaded
        if not isinstance(loaded, (KeySetHandler, Refusal)):
            handler = ready(op, loaded, bits)
        elif index is None:
            # At one key there is no key set but what the arguments and the state give.
            handler = loaded.bind(bits)
        if not isinstance(handler, Refusal):
            handler = checked(op, setting, place, handler)
            handler = choosing(op, setting, bits, place, handler)
        if setting.python:
            handler = watch(op, op.dispatcher.space.keys[place], handler)
        if setting.tracer is not None:
            line = trace_line(op, setting, bits, place, "redispatch")
            handler = report_calls(setting, line, handler)
        return handler

    def keep(handler: Handler) -> None:
        if setting.lasting:
            op.cache.keep(entry, handler)

    return op.dispatcher.settle(make, keep)


def _loaded(
    op: OpOverload, setting: Setting, bits: int, index: int | None
) -> tuple[int, Any]:
    if index is None:
        return select(op, setting, bits)
    return index, load_handler(op, setting, op.table_for(setting), index)


def decompose(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the composite kernel of an operator; see `OpOverload.decompose`."""
    kernel = op.python_table.kernels.get(IMPLICIT)
    if kernel is None or kernel.is_fallthrough:
        return NotImplemented
    if (len(args), len(kwargs)) != op.cache.arity:
        args, kwargs = complete(op, args, kwargs)
    function = kernel.load(op.name)
    if kernel.with_keyset:
        return function(op.keys_of(args, kwargs), *args, **kwargs)
    if isinstance(function, KeyEnum):
        return op.run_native(function, *args, **kwargs)
    return function(*args, **kwargs)


def kernel_for(op: OpOverload, types: tuple[type, ...]) -> Callable[..., Any]:
    """Return the kernel for argument types; see `OpOverload.kernel_for`."""
    defaults: list[type] = [
        type(default_value(argument)) if argument.has_default else Missing
        for argument in op.schema.arguments
    ]
    given = (*types, *defaults[len(types) :])
    _check_types(op, types)
    arrays = op.dispatcher.arrays
    lists = any(is_plain_list(cls, arrays) for cls in given)
    route = None if lists else op.cache.route(given)
    is_fixed = route is not None and not route.is_keyed and not route.undecided()
    if route is None or not is_fixed or not route.unchanged:
        shown = ", ".join(map(type_name, given))
        raise KernelForError(op.name, op.schema_text, shown)
    setting = op.dispatcher.state.get().setting
    bits = setting.keys(route.bits) & op.dispatcher.dispatch_bits
    _, handler = op.dispatcher.settle(
        lambda: reach(route, setting, bits), lambda reached: None
    )
    function: Callable[..., Any] = ready(op, handler, bits)
    return function


def _check_types(op: OpOverload, types: tuple[object, ...]) -> None:
    values = [type_name(type(cls)) for cls in types if not isinstance(cls, type)]
    if values:
        why = f"takes types, not an instance of {values[0]}"
    elif len(types) > len(op.schema.arguments):
        why = "got more types than there are arguments"
    else:
        return
    shown = tuple(type_name(cls) if isinstance(cls, type) else "..." for cls in types)
    raise OverloadError(f"{op.name}.kernel_for", shown, ((op.schema_text, why),))
