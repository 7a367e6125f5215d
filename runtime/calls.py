"""Calls in whatever form they come.

Generated functions have a `HandlerCache` for each form in which they pass arguments.
`GeneralCalls` makes the caches of all other forms as they appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

from .arguments import describe
from .cache import Handler, HandlerCache
from .dispatch_errors import OverloadError
from .resolution import CallShape, bind
from .route import Route

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
        cache = self._new_cache(form)
        try:
            handler = cache.handler(*types)
        except BaseException:
            # A call that no overload takes leaves nothing behind.
            cache.detach()
            raise
        self._caches[form] = cache
        return handler

    def route(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Route:
        """Return the overload that takes these very arguments, and what they bring."""
        cache = self._new_cache((len(args), tuple(kwargs)))
        cache.detach()
        values = (*args, *kwargs.values())
        given = tuple(map(describe, values))
        route = cache.route(given)
        if places := dict(route.undecided()):
            seen = [
                places[n](value) if n in places else cls
                for n, (value, cls) in enumerate(zip(values, given, strict=True))
            ]
            route = cache.route(tuple(seen))
        return route

    def ranking(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[str, str], ...]:
        """Return every overload with how these arguments fit it, in order of trial."""
        shape = CallShape(("",) * len(args), tuple(kwargs))
        given = tuple(map(describe, (*args, *kwargs.values())))
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

    def _new_cache(self, form: tuple[int, tuple[str, ...]]) -> HandlerCache:
        count, names = form
        known = [argument.name for argument in self._overloads[0].schema.positional]
        numbered = [f"argument {n + 1}" for n in range(len(known), count)]
        cache = HandlerCache((*known[:count], *numbered), names)
        cache.attach(self._owner, self._overloads, self._overloads[0].dispatcher)
        return cache


def complete(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Arguments:
    """Return arguments as kernels get them: all of them, each where it belongs.

    Raises OverloadError where they do not fit the schema.
    """
    shape = CallShape(("",) * len(args), tuple(kwargs))
    given = tuple(map(describe, (*args, *kwargs.values())))
    binding = bind(op, shape, given)
    if isinstance(binding, str):
        raise OverloadError(op.name, (), ((op.schema_text, binding),))
    return Route(binding, shape, given).laid_out((*args, *kwargs.values()))
