"""Guards over the state of a native side, which belongs to the thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, final

from .state import ActiveStates


class Entered(threading.local):
    """The guards that each thread has entered and not left, the innermost last."""

    def __init__(self) -> None:
        self.guards: list[tuple[NativeGuard, AbstractContextManager[Any]]] = []


@final
class NativeGuard:
    """A change of the native side's state for the length of a ``with`` block.

    One object may be entered again, nested, and used by several threads at once.
    """

    __slots__ = ("_active", "_entered", "_make", "_text")

    def __init__(
        self,
        entered: Entered,
        active: ActiveStates,
        make: Callable[[], AbstractContextManager[Any]],
        text: str,
    ) -> None:
        self._entered: Final = entered
        self._active: Final = active
        self._make: Final = make
        self._text: Final = text

    def __enter__(self) -> None:
        context = self._make()
        context.__enter__()
        self._entered.guards.append((self, context))
        self._active.add()

    def __exit__(self, *exception: Any) -> None:
        guards = self._entered.guards
        # Guards left out of order, as those of asyncio tasks are: whoever comes first
        # takes the inner ones along, and these find nothing of their own later. Nor
        # does a thread that leaves what another one has entered.
        left = not any(guard is self for guard, _ in guards)
        while not left:
            guard, context = guards.pop()
            self._active.drop()
            context.__exit__(*exception)
            left = guard is self

    def __repr__(self) -> str:
        return f"<guard {self._text}>"
