"""Backend fallbacks: kernels for every operator that has none at a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .errors import DuplicateKernelError
from .kernel import Kernel
from .registrations import Registration, Stacks, need_stack, put_on, take_out

if TYPE_CHECKING:
    from .dispatcher import Dispatcher


def add_fallback(
    dispatcher: Dispatcher, kernel: Kernel, override: bool
) -> Registration:
    """Put a fallback in force at its key, for operators loaded and yet to come.

    Raises DuplicateKernelError where one was registered and ``override`` is false.
    """
    dispatcher.check_dispatches("backend fallbacks")
    with dispatcher.lock:
        stack = dispatcher.fallbacks.get(kernel.key, ())
        # A fallback with a line was registered by somebody; others are built in.
        if stack and stack[-1].site.line and not override:
            first, second = str(stack[-1].site), str(kernel.site)
            what = "the table of backend fallbacks"
            raise DuplicateKernelError(what, kernel.key, first, second)
        _replace(dispatcher, lambda stacks: put_on(stacks, kernel))

    def undo() -> None:
        with dispatcher.lock:
            _replace(dispatcher, lambda stacks: take_out(stacks, kernel))

    return Registration(undo, f"fallback at {kernel.key}")


def _replace(dispatcher: Dispatcher, edit: Callable[[Stacks], Stacks]) -> None:
    need_stack()
    while True:
        before = dispatcher.fallbacks
        after = edit(before)
        # A finalizer may have registered something on this very thread.
        if dispatcher.fallbacks is before:
            dispatcher.fallbacks = after
            break
    for op in dispatcher.loaded_ops():
        op.tables.update()
