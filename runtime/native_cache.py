"""Handlers of calls that a native side can make too, by the word of their key set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .native import NativeOverload
    from .table import Change

Handler = Callable[..., Any]


@final
class NativeCache:
    """The cached handlers of one overload with a native side."""

    __slots__ = ("call", "handlers", "_op")

    #: The overload.
    _op: NativeOverload

    def __init__(self) -> None:
        #: A call of the native side in the ordinary way. The first looks it up.
        self.call: Handler = self._first_call
        #: Handlers for calls under some guard, by the word of the key set; by that word
        #: in a tuple for calls with numbers in the place of arrays.
        self.handlers: Final[dict[int | tuple[int], Handler]] = {}

    def attach(
        self, owner: str, overloads: Sequence[Any], dispatcher: Dispatcher
    ) -> None:
        """Say whose calls these are; every cache is attached once, when it is made."""
        (self._op,) = overloads
        self._op.caches.append(self)

    def load(self, *values: Any) -> Handler:
        """Return the handler of a call with these arrays, or lists of arrays."""
        op, side = self._op, self._op.dispatcher.side
        if side.is_overridden(values):
            return self.call
        word, has_numbers = op.dispatcher.word(values), side.has_numbers(values)
        key = (word,) if has_numbers else word
        found = self.handlers.get(key)
        if found is not None:
            return found

        def keep(made: tuple[Handler, bool]) -> None:
            handler, lasting = made
            if lasting:
                self.handlers[key] = handler

        make = partial(op.handler_of, word, has_numbers)
        return op.dispatcher.settle(make, keep)[0]

    def invalidate(self, op: NativeOverload, change: Change) -> None:
        """Drop all handlers: a registration has changed the tables."""
        self.clear()
        op.native.forget()

    def clear(self) -> None:
        """Drop all handlers."""
        self.handlers.clear()

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        self.call = self._op.native.call
        return self.call(*args, **kwargs)
