"""Calls in whatever form they come.

Generated functions have a `HandlerCache` for each form in which they pass arguments.
`GeneralCalls` makes the caches of all other forms as they appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

from .cache import HandlerCache
from .entries import Handler
from .errors import OverloadError
from .given import Given, describe
from .resolution import Binding, CallShape, bind, shown
from .route import Route, lay_out

if TYPE_CHECKING:
    from .op import OpOverload

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@final
class GeneralCalls:
    """The calls of an operator, or of one overload, with any arguments."""

    __slots__ = ("_owner", "_overloads", "_caches")

    def __init__(self, owner: str, overloads: Sequence[OpOverload]) -> None:
        self._owner: Final = owner
        self._overloads: Final = overloads
        self._caches: Final[dict[tuple[int, tuple[str, ...]], HandlerCache]] = {}

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the overload that takes these arguments, in the current state."""
        form = (len(args), tuple(kwargs))
        cache = self._caches.get(form)
        types = (*map(type, args), *map(type, kwargs.values()))
        handler = self._first(form, types) if cache is None else cache.handler(*types)
        return handler(*args, **kwargs)

    def _first(
        self, form: tuple[int, tuple[str, ...]], types: tuple[type, ...]
    ) -> Handler:
        cache = self._cache_of(form)
        handler = cache.first_handler(self._owner, self._overloads, types)
        self._caches[form] = cache
        return handler

    def route(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Route:
        """Return the overload that takes these very arguments, and what they bring."""
        cache = self._new_cache((len(args), tuple(kwargs)))
        cache.detach()
        values = (*args, *kwargs.values())
        given = self.describe(args, kwargs)
        route = cache.route(given)
        if places := dict(route.undecided()):
            seen = [
                places[n](value) if n in places else cls
                for n, (value, cls) in enumerate(zip(values, given, strict=True))
            ]
            route = cache.route(tuple(seen))
        return route

    def route_of(self, given: tuple[Given, ...], names: tuple[str, ...]) -> Route:
        """Return what a call means of whose arguments no more is known than the types.

        The last ones are given by ``names``.
        """
        cache = self._new_cache((len(given) - len(names), names))
        cache.detach()
        return cache.route(given)

    def describe(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Given, ...]:
        """Return the types of a call's arguments."""
        return _described(self._overloads[0], args, kwargs)

    def ranking(
        self, given: tuple[Given, ...], names: tuple[str, ...]
    ) -> tuple[tuple[str, str], ...]:
        """Return every overload with how these types fit it, in order of trial.

        The last ones are given by ``names``.
        """
        shape = CallShape(("",) * (len(given) - len(names)), names)
        judged: list[tuple[str, str]] = []
        for op in self._overloads:
            binding = bind(op, shape, given)
            if isinstance(binding, str):
                verdict = binding
            else:
                near = binding.distance
                verdict = "exact match" if near == 0 else f"match at distance {near}"
            judged.append((op.qualified_name, verdict))
        return tuple(judged)

    def _cache_of(self, form: tuple[int, tuple[str, ...]]) -> HandlerCache:
        count, names = form
        return HandlerCache(names_of_places(self._overloads, count), names)

    def _new_cache(self, form: tuple[int, tuple[str, ...]]) -> HandlerCache:
        cache = self._cache_of(form)
        cache.attach(self._owner, self._overloads, self._overloads[0].dispatcher)
        return cache


def names_of_places(overloads: Sequence[OpOverload], count: int) -> tuple[str, ...]:
    """Return what messages call the first positional arguments."""
    return tuple(_name_of(overloads, place) for place in range(count))


def _name_of(overloads: Sequence[OpOverload], place: int) -> str:
    """Return what messages call a positional argument: its name if all agree on it."""
    reaching = (op.schema.positional[place : place + 1] for op in overloads)
    names = {argument.name for arguments in reaching for argument in arguments}
    return names.pop() if len(names) == 1 else f"argument {place + 1}"


def _described(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Given, ...]:
    arrays = op.dispatcher.arrays
    return tuple(describe(arrays, value) for value in (*args, *kwargs.values()))


def complete(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Arguments:
    """Return arguments as kernels get them: all of them, each where it belongs.

    Raises OverloadError where they do not fit the schema.
    """
    given = _described(op, args, kwargs)
    if (len(args), tuple(kwargs)) == (op.cache.arity[0], op.cache.shape.keyword_only):
        binding: Binding | str = op.cache.binding(given)
    else:
        binding = bind(op, CallShape(("",) * len(args), tuple(kwargs)), given)
    if isinstance(binding, str):
        names = [*names_of_places((op,), len(args)), *kwargs]
        raise OverloadError(op.name, shown(names, given), ((op.schema_text, binding),))
    return lay_out(binding, (*args, *kwargs.values()))
