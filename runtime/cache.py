"""Handler caches: from the types of a call's arguments to the handler to call.

Generated code looks into `HandlerCache.handlers`, plain dicts in one another with the
type of one argument as the key of each. What is not there is resolved once: overload,
arguments, key set, table. Every other state than the default has a dict of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from .adapters import are_writable
from .collected_types import is_collectable
from .deferred import Deferred
from .entries import Entries, Entry, Handler
from .errors import OverloadError
from .given import Given, classes, describe, is_plain_list, keyed_class
from .handlers import checked, reach, ready
from .keyed_dispatch import bits_of_call, dispatch_on_keys, plain_bits
from .recursion import watch
from .resolution import Binding, CallShape, choose, shown
from .route import Route
from .trace import traced

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .op import OpOverload
    from .state import Setting
    from .table import Change

T = TypeVar("T")


@final
class HandlerCache:
    """The cached handlers of one way of passing arguments."""

    __slots__ = (
        "shape",
        "arity",
        "handlers",
        "owner",
        "overloads",
        "_by_setting",
        "_bindings",
        "_routes",
        "_entries",
        "_dispatcher",
        "_state",
    )

    def __init__(
        self,
        positional: tuple[str, ...],
        keyword_only: tuple[str, ...],
        by_position: int | None = None,
    ) -> None:
        #: The parameters, in the order in which types are given.
        self.shape: Final = CallShape(positional, keyword_only, by_position)
        #: How many parameters are positional, and how many keyword-only.
        self.arity: Final = (len(positional), len(keyword_only))
        #: The handlers in the default state: a dict by the type of the first argument
        #: of dicts by that of the second, and so on.
        self.handlers: Final[dict[Any, Any]] = {}
        self._by_setting: Final[dict[Any, Handler]] = {}
        self._bindings: Final[dict[tuple[Given, ...], Binding]] = {}
        self._routes: Final[dict[tuple[Given, ...], Route]] = {}
        self._entries: Final = Entries()

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

    def first_handler(
        self, owner: str, overloads: Sequence[OpOverload], given: Sequence[type]
    ) -> Handler:
        """Return the handler of the first call through a cache that is made for it.

        A call that no overload takes leaves nothing behind.
        """
        self.attach(owner, overloads, overloads[0].dispatcher)
        try:
            return self.handler(*given)
        except BaseException:
            self.detach()
            raise

    def load(self, *given: type) -> Handler:
        """Return the handler for argument types in the default state, and keep it.

        Raises OverloadError, NoArrayError, MixedBackendsError or a DispatchError.
        """
        lookup = sys.exception()
        try:
            return self._load(self._dispatcher.default, self._innermost, given)
        except Exception as error:
            # Generated code comes here while it handles the KeyError of its lookup.
            _leave_out(lookup, error)
            raise

    def handler(self, *given: type) -> Handler:
        """Return the handler for argument types in the state of the caller."""
        setting = self._state().setting
        found = self._by_setting.get((setting, given))
        if found is not None:
            return found
        return self._load(
            setting, lambda key: (self._by_setting, (setting, key)), given
        )

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
        return self._known(self._routes, given, self._new_route)

    def binding(self, given: tuple[Given, ...]) -> Binding:
        """Return the overload that takes arguments of these types, and their layout.

        Raises OverloadError.
        """
        return self._known(self._bindings, given, self._new_binding)

    def _new_route(self, given: tuple[Given, ...]) -> Route:
        return Route(self.binding(given), self.shape, given)

    def _new_binding(self, given: tuple[Given, ...]) -> Binding:
        chosen = choose(self.overloads, self.shape, given)
        if isinstance(chosen, list):
            named = shown(self.shape.names, given)
            raise OverloadError(self.owner, named, tuple(chosen))
        return chosen

    def _known(
        self,
        known: dict[tuple[Given, ...], T],
        given: tuple[Given, ...],
        make: Callable[[tuple[Given, ...]], T],
    ) -> T:
        found = known.get(given)
        if found is None:
            dispatcher = self._dispatcher
            version = dispatcher.version
            found = make(given)
            with dispatcher.lock:
                # Else types and overloads may mean something else by now. Not in
                # `settle`: whoever asked for a handler is in it, and begins anew.
                if dispatcher.version == version:
                    known[given] = found
                    self._note_types(given)
        return found

    def keep(self, entry: Entry, handler: Handler) -> None:
        """Store a handler with what it depends on; the lock must be held."""
        self._entries.keep(entry, handler)

    def invalidate(self, op: OpOverload, change: Change) -> None:
        """Drop the handlers of an operator that a change of its tables concerns."""
        self._entries.invalidate(op, change)

    def clear(self) -> None:
        """Drop everything, as where a type or an overload means something else now."""
        self._entries.clear()
        self.handlers.clear()
        self._bindings.clear()
        self._routes.clear()

    def _load(
        self,
        setting: Setting,
        place: Callable[[tuple[Given, ...]], tuple[dict[Any, Any], Any]],
        given: tuple[Given, ...],
    ) -> Handler:
        def keep(made: tuple[Handler, OpOverload | None, int]) -> None:
            handler, op, bits = made
            if setting.lasting:
                entry = Entry(*place(given), op, bits, setting.python, plain=bits)
                self.keep(entry, handler)
                self._note_types(given)

        return self._dispatcher.settle(lambda: self._make(setting, given), keep)[0]

    def _innermost(self, given: tuple[Given, ...]) -> tuple[dict[Any, Any], Any]:
        """Return the dict that the last of some types is a key of, and the key."""
        store = self.handlers
        for cls in given[:-1]:
            store = store.setdefault(cls, {})
        return store, given[-1] if given else given

    def _note_types(self, given: tuple[Given, ...]) -> None:
        if any(is_collectable(cls) for g in given for cls in classes(g)):
            self._dispatcher.collected_types.add(self)

    def _make(
        self, setting: Setting, given: tuple[Given, ...]
    ) -> tuple[Handler, OpOverload | None, int]:
        arrays = self._dispatcher.arrays
        lists = [n for n, cls in enumerate(given) if is_plain_list(cls, arrays)]
        if lists:
            return self._look_at_lists(setting, given, lists), None, 0
        route = self.route(given)
        if places := route.undecided():
            return self._deferred(setting, given).looking(places), None, 0
        if route.is_keyed:
            return self._keyed(setting, route), None, 0
        bits = setting.keys(route.bits) & self._dispatcher.dispatch_bits
        return self._handler(route, setting, bits), route.op, bits

    def _keyed(self, setting: Setting, route: Route) -> Handler:
        """Return a handler that looks further by the keys that arguments carry."""
        store: dict[int, Handler] = {}

        def load(carried: int) -> Handler:
            bits = setting.keys(carried | route.bits) & self._dispatcher.dispatch_bits
            plain = plain_bits(route, setting, carried)
            entry = Entry(store, carried, route.op, bits, setting.python, plain=plain)

            def make() -> Handler:
                used = bits_of_call(route, setting, carried)
                return self._handler(route, setting, used & bits)

            def keep(handler: Handler) -> None:
                if setting.lasting:
                    self.keep(entry, handler)

            return self._dispatcher.settle(make, keep)

        return dispatch_on_keys(route.keyed_places(), self.shape, store, load)

    def _look_at_lists(
        self, setting: Setting, given: tuple[Given, ...], lists: list[int]
    ) -> Handler:
        arrays, deferred = self._dispatcher.arrays, self._deferred(setting, given)
        in_position = len(lists) == 1 and lists[0] < self.arity[0]
        if in_position and are_writable(self.shape.keyword_only):
            return deferred.looking_at_items(lists[0], self.shape, arrays)
        look = partial(describe, arrays)
        return deferred.looking([(place, look) for place in lists])

    def _deferred(self, setting: Setting, given: tuple[Given, ...]) -> Deferred:
        def refine(
            seen: tuple[Given, ...], store: dict[Any, Handler], key: Any
        ) -> Handler:
            return self._load(setting, lambda _: (store, key), seen)

        return Deferred(refine, given)

    def _handler(self, route: Route, setting: Setting, bits: int) -> Handler:
        op = route.op
        index, handler = reach(route, setting, bits)
        function = ready(op, handler, bits)
        function = checked(op, setting, index, function)
        if route.is_keyed:
            keyed = route.keyed_places()[0][1]
            cls = keyed_class(keyed, self._dispatcher.arrays)
            function = cls.handler(op, setting, bits, index, function)
        if setting.python:
            function = watch(op, op.dispatcher.space.keys[index], function)
        function = route.adapt(function)
        if setting.tracer is not None:
            function = traced(route, setting, bits, index, function)
        return function


def _leave_out(lookup: BaseException | None, error: BaseException) -> None:
    """Take an exception out of those that are shown as the context of another one."""
    outer: BaseException | None = error
    while outer is not None and lookup is not None:
        if outer.__context__ is lookup:
            outer.__context__ = lookup.__context__
        outer = outer.__context__
