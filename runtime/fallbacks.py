"""Backend fallbacks: kernels for every operator that has none at a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dispatch_errors import DuplicateKernelError
from .kernel import Kernel
from .registrations import Registration, take_out

if TYPE_CHECKING:
    from .dispatcher import Dispatcher


def add_fallback(
    dispatcher: Dispatcher, kernel: Kernel, override: bool
) -> Registration:
    """Put a fallback in force at its key, for operators loaded and yet to come.

    Raises DuplicateKernelError where one was registered and ``override`` is false.
    """
    with dispatcher.lock:
        stack = dispatcher.fallbacks.get(kernel.key, [])
        # A fallback with a line was registered by somebody; others are built in.
        if stack and stack[-1].site.line and not override:
            first, second = str(stack[-1].site), str(kernel.site)
            what = "the backend fallback"
            raise DuplicateKernelError(what, kernel.key, first, second)
        dispatcher.fallbacks.setdefault(kernel.key, []).append(kernel)
        _update(dispatcher)

    def undo() -> None:
        with dispatcher.lock:
            take_out(dispatcher.fallbacks, kernel)
            _update(dispatcher)

    return Registration(undo, f"fallback at {kernel.key}")


def _update(dispatcher: Dispatcher) -> None:
    dispatcher.fallbacks_changed = True
    dispatcher.changed()
    for op in dispatcher.ops:
        op.tables.update()
