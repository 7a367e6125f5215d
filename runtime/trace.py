"""Dispatch tracing: one line for every call while `dispatch_trace` is on."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from .given import type_name
from .keys import KeyEnum

if TYPE_CHECKING:
    from .op import OpOverload
    from .route import Route
    from .state import Setting

_depth: Final[ContextVar[int]] = ContextVar("keyslot trace depth", default=0)


def traced(
    route: Route, setting: Setting, bits: int, index: int, function: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the kernel so that each call is reported to the setting's tracer."""
    op, given = route.op, ", ".join(map(type_name, route.given))
    line = trace_line(op, setting, bits, index, given)
    return report_calls(setting, line, function)


def report_calls(
    setting: Setting, line: str, function: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function that reports ``line`` and then does the call."""
    tracer = setting.tracer
    if tracer is None:
        return function

    def reported(*args: Any, **kwargs: Any) -> Any:
        depth = _depth.get()
        tracer("  " * depth + line)
        token = _depth.set(depth + 1)
        try:
            return function(*args, **kwargs)
        finally:
            _depth.reset(token)

    return reported


def trace_line(
    op: OpOverload, setting: Setting, bits: int, index: int, given: str
) -> str:
    """Return the report of one call: operator, types, key, kernel and its source."""
    key = op.dispatcher.space.keys[index]
    table = op.table_for(setting)
    cell, kernel = table.cells[index], table.kernel(index)
    what = "nothing" if kernel is None else f"{kernel_name(kernel)} from {kernel.site}"
    via = "Python kernel" if kernel in op.tables.python_kernels.values() else cell.kind
    source = f"{via} at {cell.source}" if cell.source else cell.kind
    first = "PythonDispatcher, " if setting.python else ""
    keys = ", ".join(op.dispatcher.key_names(bits))
    return f"{op.name}({given}) [{first}{keys}] -> {key}: {source}: {what}"


def kernel_name(kernel: Any) -> str:
    """Return how messages name a kernel."""
    if kernel.reference is not None:
        return str(kernel.reference)
    function = kernel.function
    if isinstance(function, KeyEnum):
        return f"native kernel of {function.name}"
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    return f"{module}:{name}" if module else str(name)
