"""Handlers that look at values: items of lists, devices, arrays without dimensions.

The types of a call's arguments do not always say which handler it needs. Then the
handler of these types is a function of this module, which looks at the arguments in
question and finds the handler of what it saw in a dict of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, final

from .adapters import compiled
from .given import Given, ListOf, describe
from .route import Describe

if TYPE_CHECKING:
    from .array_types import ArrayTypes
    from .resolution import CallShape

Handler = Callable[..., Any]
#: Makes and keeps the handler for the types of all arguments, in a dict under a key.
Refine = Callable[[tuple[Given, ...], dict[Any, Handler], Any], Handler]
_LOOKER: Final = """\
def make(_store, _look_closer, _type=type):
    def look_and_call({parameters}):
        _kind = _type({items}[0]) if {items} else None
        for _item in {items}:
            if _type(_item) is not _kind:
                _handler = None
                break
        else:
            _handler = _store.get(_kind)
        if _handler is None:
            _handler = _look_closer({items})
        return _handler({arguments})

    return look_and_call
"""


@final
class Deferred:
    """What is still to be looked at in calls with some argument types."""

    __slots__ = ("_refine", "_given", "store")

    def __init__(self, refine: Refine, given: tuple[Given, ...]) -> None:
        self._refine: Final = refine
        self._given: Final = given
        #: The handlers, by what was seen.
        self.store: Final[dict[Any, Handler]] = {}

    def looking(self, places: Sequence[tuple[int, Describe]]) -> Handler:
        """Return a handler that looks at some arguments, each in its own way."""
        store = self.store

        def look_and_call(*args: Any, **kwargs: Any) -> Any:
            values = (*args, *kwargs.values())
            key = tuple([look(values[place]) for place, look in places])
            handler = store.get(key)
            if handler is None:
                seen = dict(zip((place for place, _ in places), key, strict=True))
                handler = self._load(seen, key)
            return handler(*args, **kwargs)

        return look_and_call

    def looking_at_items(
        self, place: int, shape: CallShape, arrays: ArrayTypes
    ) -> Handler:
        """Return a handler that looks at the items of one positional list.

        Items of one type are the rule, and that type is the key then.
        """
        store = self.store

        def look_closer(items: Any) -> Handler:
            seen = describe(arrays, items)
            key = _only_type(seen) or seen
            return store.get(key) or self._load({place: seen}, key)

        positional = tuple(f"_{n}" for n in range(len(shape.positional)))
        made: Handler = _looker(positional, shape.keyword_only, place)(
            store, look_closer
        )
        return made

    def _load(self, seen: dict[int, Given], key: Any) -> Handler:
        given = [seen.get(place, cls) for place, cls in enumerate(self._given)]
        return self._refine(tuple(given), self.store, key)


@cache
def _looker(
    positional: tuple[str, ...], keyword_only: tuple[str, ...], place: int
) -> Any:
    """Compile a handler that looks at items; taking any arguments would cost double."""
    star = ("*",) if keyword_only else ()
    items, parameters = positional[place], ", ".join(
        (*positional, *star, *keyword_only)
    )
    arguments = ", ".join((*positional, *(f"{name}={name}" for name in keyword_only)))
    text = _LOOKER.format(items=items, parameters=parameters, arguments=arguments)
    return compiled(text, f"<keyslot items of {items} in {parameters}>")


def _only_type(seen: Given) -> type | None:
    """Return the type that all items of a list have, None if they have several."""
    if isinstance(seen, ListOf) and len(seen.items) == 1:
        (item,) = seen.items
        return item if isinstance(item, type) else None
    return None
