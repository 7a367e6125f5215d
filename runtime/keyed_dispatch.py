"""Handlers of calls with arrays that carry their own key set.

Such a call looks up its handler under the bits that the arguments carry, after their
types have been looked up as in any other call. A call that starts from keys, as
redispatch does, looks for such arrays where it has come to the kernel of a backend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from .adapters import are_writable, compiled
from .given import Given, ListOf
from .keyed_array import KeyedArray

if TYPE_CHECKING:
    from .op import OpOverload
    from .resolution import CallShape
    from .route import Route
    from .schema import Argument
    from .state import Setting

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


_CHOOSER: Final = """\
def make(_plain, _keyed, _Keyed, _bits):
    def choose({parameters}):
        if {any_keyed}:
            return _keyed({arguments})
        return _plain({arguments})

    return choose
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


def carried_bits(route: Route, values: Sequence[Any]) -> int:
    """Return the bits that the arrays in a call with these values carry."""
    return bits_of_items(values[place] for place, _ in route.keyed_places())


def plain_bits(route: Route, setting: Setting, carried: int) -> int:
    """Return the bits that nothing but arrays without keys of their own brings."""
    return route.bits & ~(carried | setting.included)


def bits_of_call(route: Route, setting: Setting, carried: int) -> int:
    """Return the bits of a call with arrays that carry keys, as its kernels get them.

    Arrays without keys of their own have no gradients to record.
    """
    plain = plain_bits(route, setting, carried)
    recording = route.op.table_for(setting).recording
    return setting.keys(carried | route.bits) & ~(plain & recording)


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
    names, parameters, arguments = _call_form(positional, keyword_only)
    parts = [
        f"_items({names[n]})" if is_list else f"{names[n]}.bits"
        for n, is_list in zip(places, lists, strict=True)
    ]
    text = _DISPATCHER.format(
        parameters=parameters, bits=" | ".join(parts), arguments=arguments
    )
    return compiled(text, f"<keyslot keys of {', '.join(parts)}>")


def choosing(
    op: OpOverload, setting: Setting, bits: int, place: int, function: Handler
) -> Handler:
    """Return the kernel at a backend's key as one that takes such arrays too.

    Their class says what runs in its place; see `KeyedArray.handler`.
    """
    space = op.dispatcher.space
    arguments = [a for a in op.schema.arguments if a.type.base.name == "Tensor"]
    names = tuple(argument.name for argument in op.schema.keyword_only)
    key = space.keys[place]
    # Kernels above those of backends take such arrays as they are.
    is_backend = key in space.backend_of and key not in space.autograd_backends
    if not (is_backend and arguments and are_writable(names)):
        return function
    handlers: WeakKeyDictionary[type, Handler] = WeakKeyDictionary()

    def keyed(*args: Any, **kwargs: Any) -> Any:
        cls = _class_of_keyed((*args, *kwargs.values()))
        handler = handlers.get(cls)
        if handler is None:
            handler = cls.handler(op, setting, bits, place, function)
            handlers[cls] = handler
        return handler(*args, **kwargs)

    every = (*op.schema.positional, *op.schema.keyword_only)
    takes = tuple(map(_form, every))
    make = _compile_chooser(len(op.schema.positional), names, takes)
    made: Handler = make(function, keyed, KeyedArray, bits_of_items)
    return made


def _class_of_keyed(values: Any) -> Any:
    for value in values:
        if isinstance(value, KeyedArray):
            return type(value)
        if isinstance(value, (list, tuple)) and (found := _class_of_keyed(value)):
            return found
    return None


def _form(argument: Argument) -> str:
    """Return what an argument takes: an "array", "arrays", or neither."""
    if argument.type.base.name != "Tensor":
        return ""
    return "arrays" if "[]" in str(argument.type) else "array"


@cache
def _compile_chooser(
    positional: int, keyword_only: tuple[str, ...], takes: tuple[str, ...]
) -> Any:
    names, parameters, arguments = _call_form(positional, keyword_only)
    parts = [
        (
            f"isinstance({name}, _Keyed)"
            if form == "array"
            else f"{name} and _bits({name})"
        )
        for name, form in zip(names, takes, strict=True)
        if form
    ]
    text = _CHOOSER.format(
        parameters=parameters, any_keyed=" or ".join(parts), arguments=arguments
    )
    return compiled(text, f"<keyslot keyed arrays: {', '.join(parts)}>")


def _call_form(
    positional: int, keyword_only: tuple[str, ...]
) -> tuple[list[str], str, str]:
    """Return names of parameters, their list, and the arguments that pass them on."""
    by_position = [f"_{n}" for n in range(positional)]
    star = ["*"] if keyword_only else []
    by_name = [f"{name}={name}" for name in keyword_only]
    return (
        [*by_position, *keyword_only],
        ", ".join([*by_position, *star, *keyword_only]),
        ", ".join([*by_position, *by_name]),
    )
