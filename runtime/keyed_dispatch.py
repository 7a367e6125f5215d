"""Handlers of calls with arrays that carry their own key set.

Such a call looks up its handler under the bits that the arguments carry, after their
types have been looked up as in any other call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from .adapters import are_writable, compiled
from .given import Given, ListOf
from .keyed_array import KeyedArray

if TYPE_CHECKING:
    from .resolution import CallShape

Handler = Callable[..., Any]
#: Makes and keeps the handler of calls whose keyed arguments carry these bits.
Load = Callable[[int], Handler]

_DISPATCHER: Final = """\
def make(_store, _load, _items):
    def dispatch_on_keys({parameters}):
        _bits = {bits}
        try:
            _handler = _store[_bits]
        except KeyError:
            _handler = None
        if _handler is None:
            _handler = _load(_bits)
        return _handler({arguments})

    return dispatch_on_keys
"""


def bits_of_items(items: Any) -> int:
    """Return the bits that the items of a list carry, those of lists in it too."""
    bits = 0
    for item in items:
        if isinstance(item, KeyedArray):
            bits |= item.bits
        elif isinstance(item, (list, tuple)):
            bits |= bits_of_items(item)
    return bits


def dispatch_on_keys(
    places: list[tuple[int, Given]],
    shape: CallShape,
    store: dict[int, Handler],
    load: Load,
) -> Handler:
    """Return a handler that looks up another one under the bits of some arguments."""
    numbers = tuple(place for place, _ in places)
    if are_writable(shape.keyword_only):
        lists = tuple(isinstance(given, ListOf) for _, given in places)
        make = _compile(len(shape.positional), shape.keyword_only, numbers, lists)
        made: Handler = make(store, load, bits_of_items)
        return made

    def general(*args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        bits = bits_of_items([values[n] for n in numbers])
        handler = store.get(bits) or load(bits)
        return handler(*args, **kwargs)

    return general


@cache
def _compile(
    positional: int,
    keyword_only: tuple[str, ...],
    places: tuple[int, ...],
    lists: tuple[bool, ...],
) -> Any:
    """Compile such a handler for one form of calls; see `adapters` for why."""
    by_position = [f"_{n}" for n in range(positional)]
    names = [*by_position, *keyword_only]
    parts = [
        f"_items({names[n]})" if is_list else f"{names[n]}.bits"
        for n, is_list in zip(places, lists, strict=True)
    ]
    star = ["*"] if keyword_only else []
    by_name = [f"{name}={name}" for name in keyword_only]
    text = _DISPATCHER.format(
        parameters=", ".join([*by_position, *star, *keyword_only]),
        bits=" | ".join(parts),
        arguments=", ".join([*by_position, *by_name]),
    )
    return compiled(text, f"<keyslot keys of {', '.join(parts)}>")
