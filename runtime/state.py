"""The dispatch state of a thread or task: what guards have switched on.

The state is an immutable value in a ``ContextVar``. The default state costs calls
nothing: generated code asks only whether the list ``active`` is empty. The list
holds an entry for each live state object that is not the default, and gives the
entry back when the object is finalized. It does not do so when a guard ends, for a
task created inside a guard still holds the state afterwards and must still see it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

#: What `dispatch_trace` hands its lines to.
Tracer = Callable[[str], object]


@final
class Setting:
    """What a state says about dispatch. Caches are kept per setting, by identity."""

    __slots__ = ("included", "allowed", "python", "tracer")

    #: Bits of the keys added to the key set of every call.
    included: Final[int]
    #: Bits of the keys that a call may have: all but the excluded ones.
    allowed: Final[int]
    #: Whether the Python dispatcher comes before every other key.
    python: Final[bool]
    #: Where each call is reported, if anywhere.
    tracer: Final[Tracer | None]

    def __init__(
        self, included: int, allowed: int, python: bool, tracer: Tracer | None
    ) -> None:
        self.included = included
        self.allowed = allowed
        self.python = python
        self.tracer = tracer

    def keys(self, brought: int) -> int:
        """Return the bits of a call whose arguments brought these keys."""
        return (brought | self.included) & self.allowed


@final
class State:
    """A setting in force, linked to the state that its guard replaced."""

    __slots__ = ("setting", "parent", "owner", "_active")

    #: What the state says.
    setting: Final[Setting]
    #: The state to go back to; None for the default state.
    parent: Final[State | None]
    #: The guard that made this state.
    owner: Final[object]

    def __init__(
        self,
        setting: Setting,
        parent: State | None = None,
        owner: object = None,
        active: list[Any] | None = None,
    ) -> None:
        self.setting = setting
        self.parent = parent
        self.owner = owner
        self._active = active
        if active is not None:
            active.append(None)

    def __del__(self) -> None:
        # list.pop is atomic: finalizers on several threads lose no entry.
        if self._active is not None:
            self._active.pop()
