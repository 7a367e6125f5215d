"""Calls with arguments by position that the operator's function takes by name.

Overloads that differ in what stands at a place make a name keyword-only for the
function of the operator. What is given by position all the same comes in as ``*rest``.
Nearly all such calls have no keywords, and are told apart by the types of what came by
position. Any other call is a row of values: these, and then those of every keyword-only
parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, final

from .cache import HandlerCache
from .calls import names_of_places
from .entries import Handler
from .resolution import MISSING

if TYPE_CHECKING:
    from .op import OpOverload


@final
class RowCalls:
    """The calls of an operator's function that have ``*rest``."""

    __slots__ = (
        "_owner",
        "_overloads",
        "_state",
        "_default",
        "_names",
        "_defaults",
        "_by_position",
        "_rows",
    )

    def __init__(
        self,
        owner: str,
        overloads: Sequence[OpOverload],
        code: CodeType,
        defaults: dict[str, Any],
    ) -> None:
        self._owner: Final = owner
        self._overloads: Final = overloads
        dispatcher = overloads[0].dispatcher
        self._state: Final = dispatcher.state.get
        self._default: Final = dispatcher.default
        first, count = code.co_argcount, code.co_kwonlyargcount
        #: The keyword-only parameters of the function, and their defaults.
        self._names: Final = code.co_varnames[first : first + count]
        self._defaults: Final = tuple(defaults[name] for name in self._names)
        #: The caches of calls without keywords, and of all others, by the number of
        #: arguments that came by position.
        self._by_position: Final[dict[int, HandlerCache]] = {}
        self._rows: Final[dict[int, HandlerCache]] = {}

    def call(self, args: tuple[Any, ...], named: tuple[Any, ...]) -> Any:
        """Call the overload that takes these arguments, in the current state.

        ``named`` are the values of the keyword-only parameters. One that is the
        function's own default counts as not given.
        """
        # By identity: arrays compare element by element.
        if not all(map(is_, named, self._defaults)):
            return self._call_row(args, named)
        cache = self._by_position.get(len(args))
        if cache is None:
            return self._first(self._by_position, args, ())(*args)
        if self._state().setting is not self._default:
            return cache.handler(*map(type, args))(*args)
        handler: Any = cache.handlers
        try:
            for value in args:
                handler = handler[type(value)]
        except KeyError:
            handler = cache.load(*map(type, args))
        return handler(*args)

    def _call_row(self, args: tuple[Any, ...], named: tuple[Any, ...]) -> Any:
        pairs = zip(named, self._defaults, strict=True)
        row = [*args, *[MISSING if value is own else value for value, own in pairs]]
        cache = self._rows.get(len(args))
        if cache is None:
            return self._first(self._rows, row, self._names)(*row)
        return cache.handler(*map(type, row))(*row)

    def _first(
        self,
        caches: dict[int, HandlerCache],
        values: Sequence[Any],
        names: tuple[str, ...],
    ) -> Handler:
        """Return the handler of a first call, whose last values go by ``names``."""
        count = len(values) - len(names)
        places = names_of_places(self._overloads, count)
        cache = HandlerCache((*places, *names), (), count)
        types = tuple(map(type, values))
        handler = cache.first_handler(self._owner, self._overloads, types)
        caches[count] = cache
        return handler
