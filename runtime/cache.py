"""Handler caches: from the types of a call's arguments to the handler to call.

Generated code looks into `HandlerCache.handlers`, a plain dict. What is not there is
resolved once: overload, arguments, key set, table. Every other state than the default
has a dict of its own, so that a state costs one more lookup and no other code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from .arguments import Given, classes, describe, is_plain_list
from .collected_types import is_collectable
from .dispatch_errors import MixedBackendsError, OverloadError
from .handlers import Refusal, ready, select
from .recursion import watch
from .resolution import CallShape, Missing, choose
from .route import Describe, Route
from .trace import traced

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .op import OpOverload
    from .state import Setting
    from .table import Change

Handler = Callable[..., Any]


class Same:
    """The type of `SAME`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "SAME"


#: In a shortcut: this argument is of the one type that is the key of the entry.
SAME: Final = Same()
Shortcut = tuple[Same | type | None, ...]


class Entry(NamedTuple):
    """One cached handler and what it was made from."""

    store: dict[Any, Handler]
    key: Any
    #: None for a `Deferred`, which looks further at each call.
    op: OpOverload | None
    bits: int
    python: bool
    #: The place of the one key that was asked for; None for the highest key.
    place: int | None = None


@final
class HandlerCache:
    """The cached handlers of one way of passing arguments."""

    __slots__ = (
        "shape",
        "arity",
        "shortcut",
        "handlers",
        "owner",
        "overloads",
        "_by_setting",
        "_routes",
        "_entries",
        "_dispatcher",
        "_state",
    )

    def __init__(
        self,
        positional: tuple[str, ...],
        keyword_only: tuple[str, ...],
        shortcut: Shortcut | None = None,
    ) -> None:
        #: The parameters, in the order in which types are given.
        self.shape: Final = CallShape(positional, keyword_only)
        #: How many parameters are positional, and how many keyword-only.
        self.arity: Final = (len(positional), len(keyword_only))
        #: Which arguments have to be of one type, and which of the type of their
        #: default, for the entry's key to be that one type alone.
        self.shortcut: Final = shortcut
        #: The handlers in the default state, by argument types.
        self.handlers: Final[dict[Any, Handler]] = {}
        self._by_setting: Final[dict[Setting, dict[Any, Handler]]] = {}
        self._routes: Final[dict[tuple[Given, ...], Route]] = {}
        self._entries: list[Entry] = []

    def attach(
        self, owner: str, overloads: Sequence[OpOverload], dispatcher: Dispatcher
    ) -> None:
        """Say whose calls these are; every cache is attached once, when it is made."""
        #: The operator that messages name.
        self.owner = owner
        #: The overloads to choose from, in the order of their declaration.
        self.overloads = overloads
        self._dispatcher = dispatcher
        self._state = dispatcher.state.get
        for op in overloads:
            op.caches.append(self)

    def load(self, *given: type) -> Handler:
        """Return the handler for argument types in the default state, and keep it.

        Raises OverloadError, NoArrayError, MixedBackendsError or a DispatchError.
        """
        return self._load(
            self._dispatcher.default, self.handlers, self._key(given), given
        )

    def handler(self, *given: type) -> Handler:
        """Return the handler for argument types in the state of the caller."""
        setting = self._state().setting
        try:
            return self._by_setting[setting][given]
        except KeyError:
            store: dict[Any, Handler] = {}
            if setting.tracer is None:
                store = self._by_setting.setdefault(setting, store)
            return self._load(setting, store, given, given)

    def replace_overloads(self, overloads: Sequence[OpOverload]) -> None:
        """Choose from other overloads from now on; the lock must be held."""
        self.detach()
        self.clear()
        self.attach(self.owner, overloads, self._dispatcher)

    def detach(self) -> None:
        """Take the cache out of its overloads' registers: nothing was kept in it."""
        for op in self.overloads:
            op.caches.remove(self)

    def route(self, given: tuple[Given, ...]) -> Route:
        """Return the overload that takes arguments of these types, and how.

        Raises OverloadError, or NoArrayError.
        """
        route = self._routes.get(given)
        if route is None:
            chosen = choose(self.overloads, self.shape, given)
            if isinstance(chosen, list):
                raise OverloadError(self.owner, self._shown(given), tuple(chosen))
            route = self._routes[given] = Route(chosen, self.shape, given)
        return route

    def refine(self, deferred: Deferred, key: tuple[Given, ...]) -> Handler:
        """Return the handler for what a `Deferred` found out about the values."""
        given = list(deferred.given)
        for (place, _), seen in zip(deferred.places, key, strict=True):
            given[place] = seen
        return self._load(deferred.setting, deferred.store, key, tuple(given))

    def keep(self, entry: Entry, handler: Handler) -> None:
        """Store a handler with what it depends on; the lock must be held."""
        entry.store[entry.key] = handler
        self._entries.append(entry)

    def invalidate(self, op: OpOverload, change: Change) -> None:
        """Drop the handlers of an operator that a change of its tables concerns."""
        kept: list[Entry] = []
        for entry in self._entries:
            if entry.op is op and change.concerns(
                entry.bits, entry.python, entry.place
            ):
                entry.store.pop(entry.key, None)
            else:
                kept.append(entry)
        self._entries = kept

    def clear(self) -> None:
        """Drop everything, as where a type or an overload means something else now."""
        for entry in self._entries:
            entry.store.pop(entry.key, None)
        self._entries = []
        self._routes.clear()

    def forget_collectable(self) -> None:
        """Drop every entry that holds a type which could be collected."""
        self.clear()

    def _load(
        self,
        setting: Setting,
        store: dict[Any, Handler],
        key: Any,
        given: tuple[Given, ...],
    ) -> Handler:
        dispatcher = self._dispatcher
        while True:
            version = dispatcher.version
            handler, op, bits = self._make(setting, given)
            with dispatcher.lock:
                # Kernels are imported without the lock. If anything was registered
                # meanwhile the handler may be stale, and is made again.
                if dispatcher.version != version:
                    continue
                self.keep(Entry(store, key, op, bits, setting.python), handler)
                if any(is_collectable(cls) for g in given for cls in classes(g)):
                    dispatcher.collected_types.add(self)
                return handler

    def _make(
        self, setting: Setting, given: tuple[Given, ...]
    ) -> tuple[Handler, OpOverload | None, int]:
        lists = [(n, describe) for n, cls in enumerate(given) if is_plain_list(cls)]
        if lists:
            return Deferred(self, setting, given, tuple(lists)), None, 0
        route = self.route(given)
        if places := route.undecided():
            return Deferred(self, setting, given, places), None, 0
        bits = setting.keys(route.bits) & self._dispatcher.dispatch_bits
        return self._handler(route, setting, bits), route.op, bits

    def _handler(self, route: Route, setting: Setting, bits: int) -> Handler:
        op = route.op
        index, handler = select(op, setting, bits)
        if isinstance(handler, Refusal):
            raise handler.error(setting, bits, route.brought.facts)
        if len(route.brought.backends) > 1 and not op.takes_mixed(setting, index):
            raise _mixed(route)
        function = ready(op, handler, bits)
        if setting.python:
            function = watch(op, op.dispatcher.space.keys[index], function)
        function = route.adapt(function)
        if setting.tracer is not None:
            function = traced(route, setting, bits, index, function)
        return function

    def _key(self, given: tuple[type, ...]) -> Any:
        if len(given) == 1:
            return given[0]
        shortcut = self.shortcut
        if shortcut is None:
            return given
        same = given[shortcut.index(SAME)]
        for wanted, cls in zip(shortcut, given, strict=True):
            expected = same if wanted is SAME else wanted or type(None)
            if cls is not expected:
                return given
        return same

    def _shown(self, given: tuple[Given, ...]) -> tuple[str, ...]:
        from .arguments import type_name

        pairs = zip(self.shape.names, given, strict=True)
        return tuple(
            f"{name}: {type_name(cls)}" for name, cls in pairs if cls is not Missing
        )


@final
class Deferred:
    """A handler that has to look at values: items of lists, devices, dimensions."""

    __slots__ = ("cache", "setting", "given", "places", "store")

    def __init__(
        self,
        cache: HandlerCache,
        setting: Setting,
        given: tuple[Given, ...],
        places: tuple[tuple[int, Describe], ...],
    ) -> None:
        self.cache: Final = cache
        self.setting: Final = setting
        #: The types as far as they are known.
        self.given: Final = given
        #: Which arguments to look at, and how.
        self.places: Final = places
        #: The handlers, by what was seen.
        self.store: Final[dict[Any, Handler]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        key = tuple([look(values[place]) for place, look in self.places])
        try:
            handler = self.store[key]
        except KeyError:
            handler = self.cache.refine(self, key)
        return handler(*args, **kwargs)


def _mixed(route: Route) -> MixedBackendsError:
    arrays = route.brought.backends.items()
    listed = tuple((backend, ", ".join(names)) for backend, names in sorted(arrays))
    return MixedBackendsError(route.op.name, route.op.schema_text, listed)
