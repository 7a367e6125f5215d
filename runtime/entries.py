"""Which cached handlers there are, and which of them a change makes wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, final

if TYPE_CHECKING:
    from .op import OpOverload
    from .table import Change

Handler = Callable[..., Any]


class Entry(NamedTuple):
    """One cached handler and what it was made from."""

    store: dict[Any, Handler]
    key: Any
    #: None for a handler that looks further at each call.
    op: OpOverload | None
    bits: int
    python: bool
    #: The place of the one key that was asked for; None for the highest key.
    place: int | None = None
    #: The bits that only arrays without keys of their own bring.
    plain: int = 0

    def is_stale(self, op: OpOverload, change: Change) -> bool:
        """Whether a change of an operator's tables makes the handler wrong."""
        if self.op is not op:
            return False
        return change.concerns(self.bits, self.python, self.place, self.plain)


@final
class Entries:
    """The handlers that a cache has stored.

    A collection of types may drop them all at any moment, in the middle of what is done
    here too.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: list[Entry] = []

    def keep(self, entry: Entry, handler: Handler) -> None:
        """Store a handler with what it depends on; the lock must be held."""
        while True:
            held = self._held
            held.append(entry)
            entry.store[entry.key] = handler
            # A collection that started meanwhile has dropped them all, perhaps just
            # before this one was listed.
            if self._held is held:
                return

    def invalidate(self, op: OpOverload, change: Change) -> None:
        """Drop the handlers of an operator that a change of its tables concerns."""
        kept: list[Entry] = []
        held = self._held
        for entry in held:
            if entry.is_stale(op, change):
                entry.store.pop(entry.key, None)
            else:
                kept.append(entry)
        # A collection that started meanwhile has dropped them all.
        if self._held is held:
            self._held = kept

    def clear(self) -> None:
        """Drop all handlers."""
        # Not under the lock where a collection asks for it; see `keep`.
        held, self._held = self._held, []
        for entry in held:
            entry.store.pop(entry.key, None)
