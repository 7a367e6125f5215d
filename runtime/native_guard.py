"""Guards over the state of a native side, which belongs to the thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, final

from .state import ActiveStates


@final
class NativeGuard:
    """A change of the native side's state for the length of a ``with`` block.

    One object may be entered again, nested, and used by several threads at once.
    """

    __slots__ = ("_active", "_make", "_text", "_thread")

    def __init__(
        self,
        active: ActiveStates,
        make: Callable[[], AbstractContextManager[Any]],
        text: str,
    ) -> None:
        self._active: Final = active
        self._make: Final = make
        self._text: Final = text
        self._thread: Final = threading.local()

    def __enter__(self) -> None:
        context = self._make()
        context.__enter__()
        self._entered.append(context)
        self._active.add()

    def __exit__(self, *exception: Any) -> None:
        self._active.drop()
        self._entered.pop().__exit__(*exception)

    @property
    def _entered(self) -> list[AbstractContextManager[Any]]:
        """What this thread has entered and not left, the innermost last."""
        entered: list[AbstractContextManager[Any]]
        entered = self._thread.__dict__.setdefault("entered", [])
        return entered

    def __repr__(self) -> str:
        return f"<guard {self._text}>"
