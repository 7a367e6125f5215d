"""Guards: context managers that change the dispatch state and put it back.

A guard keeps nothing of its own, so one object may be entered again, nested, and
used by several threads and tasks at once. Leaving it restores the state that was
there before, also when the block raises.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar, final

from .state import ActiveStates, Setting, State

P = ParamSpec("P")
R = TypeVar("R")


class Content(NamedTuple):
    """What a state consists of."""

    setting: Setting
    modes: tuple[Any, ...]
    layers: tuple[Any, ...]


@final
class Guard:
    """A change of the dispatch state for the length of a ``with`` block."""

    __slots__ = ("_state", "_active", "_change", "_text")

    def __init__(
        self,
        state: ContextVar[State],
        active: ActiveStates,
        change: Callable[[State], Content],
        text: str,
    ) -> None:
        self._state: Final = state
        self._active: Final = active
        self._change: Final = change
        self._text: Final = text

    def __enter__(self) -> None:
        before = self._state.get()
        setting, modes, layers = self._change(before)
        state = State(setting, before, self, self._active, modes, layers)
        self._state.set(state)

    def __exit__(self, *exception: object) -> None:
        state: State | None = self._state.get()
        while state is not None and state.owner is not self:
            state = state.parent
        # Guards left out of order: whoever comes first takes the inner ones along,
        # and what they leave later finds nothing of its own to restore.
        if state is not None and state.parent is not None:
            self._state.set(state.parent)

    def __repr__(self) -> str:
        return f"<guard {self._text}>"


@final
class Snapshot:
    """The dispatch state at one moment, to be used on another thread."""

    __slots__ = ("_guard",)

    def __init__(self, state: ContextVar[State], active: ActiveStates) -> None:
        now = state.get()
        content = Content(now.setting, now.modes, now.layers)
        self._guard: Final = Guard(state, active, lambda _: content, "restore()")

    def restore(self) -> Guard:
        """Return a guard under which the state is as it was at the snapshot."""
        return self._guard

    def run(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a function under the state of the snapshot."""
        with self._guard:
            return function(*args, **kwargs)

    def __repr__(self) -> str:
        return "<Snapshot>"
