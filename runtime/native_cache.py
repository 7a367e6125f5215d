"""Handlers of calls that a native side can make too, by the word of their key set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, Final, final

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .native import NativeOverload
    from .table import Change

Handler = Callable[..., Any]


#: So many calls in a row may bring other keys than the last ones before their handler
#: becomes the one that is tried first.
_PATIENCE: Final = 8
#: Tells of everything that it is not the same.
_never: Final = partial(is_, object())


@final
class NativeCache:
    """The cached handlers of one overload with a native side."""

    __slots__ = ("call", "handlers", "recent", "_misses", "_op")

    #: The overload.
    _op: NativeOverload

    def __init__(self, arrays: int = 0) -> None:
        #: A call of the native side in the ordinary way. The first looks it up.
        self.call: Handler = self._first_call
        #: For each array a function that tells whether its keys, and the thread's, are
        #: those of a recent call, and then the handler of that call.
        self.recent: tuple[Callable[..., Any], ...] = (_never,) * (arrays + 1)
        #: Handlers for calls under some guard, by the word of the key set.
        self.handlers: Final[dict[int, Handler]] = {}
        self._misses = _PATIENCE

    def attach(
        self, owner: str, overloads: Sequence[Any], dispatcher: Dispatcher
    ) -> None:
        """Say whose calls these are; every cache is attached once, when it is made."""
        (self._op,) = overloads
        self._op.caches.append(self)

    def handler(self, *values: Any) -> Handler:
        """Return the handler of a call with these arrays, or lists of arrays."""
        op, side = self._op, self._op.dispatcher.side
        if side.is_overridden(values) or side.has_numbers(values):
            # The native side makes an array of a number, and then asks for our kernels.
            return self.call
        word = op.dispatcher.word(values)
        found = self.handlers.get(word)
        if found is None:
            make, keep = partial(op.handler_of, word), partial(self._keep, word)
            found, _ = op.dispatcher.settle(make, keep)
        self._misses += 1
        if self._misses > _PATIENCE:
            self._remember(word, found, values)
        return found

    def invalidate(self, op: NativeOverload, change: Change) -> None:
        """Drop all handlers: a registration has changed the tables."""
        self.clear()
        op.native.forget()

    def clear(self) -> None:
        """Drop all handlers."""
        self.recent = (_never,) * len(self.recent)
        self.handlers.clear()

    def _keep(self, word: int, made: tuple[Handler, bool]) -> None:
        handler, lasting = made
        if lasting:
            self.handlers[word] = handler

    def _remember(self, word: int, handler: Handler, values: tuple[Any, ...]) -> None:
        """Have the handler tried first, if the native side can tell when it fits."""
        dispatcher = self._op.dispatcher
        self._misses = 0
        if len(self.recent) != len(values) + 1 or not dispatcher.is_python_on:
            return
        checks = dispatcher.side.checks(values)
        with dispatcher.lock:
            # Unless a registration has come in between.
            if checks is not None and self.handlers.get(word) is handler:
                self.recent = (*checks, handler)

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        self.call = self._op.native.call
        return self.call(*args, **kwargs)
