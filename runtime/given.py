"""What an argument is, as far as resolution looks at it: types, not values.

A list is seen as the set of the types of its items.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from .array_types import ArrayTypes
from .symbols import SymbolicNumber

#: Lists are looked into this deep, deeper than any schema nests them.
MAX_DEPTH: Final = 4


class ListOf(NamedTuple):
    """The type of a list argument: its class and the types of its items."""

    kind: type
    items: frozenset[Any]


class ArrayOf(NamedTuple):
    """The type of an array of which it matters whether it has dimensions."""

    kind: type
    zero_dim: bool


class DeviceName(NamedTuple):
    """A device given as text, which may name a backend."""

    name: str


Given = type[Any] | ListOf | ArrayOf | DeviceName
#: The numbers of Python, and those that stand for one.
NUMBERS: Final[tuple[type[Any], ...]] = (bool, int, float, complex, SymbolicNumber)


def describe(arrays: ArrayTypes, value: object, depth: int = MAX_DEPTH) -> Given:
    """Return the type of an argument, for a list or tuple that of its items too."""
    cls = type(value)
    if depth == 0 or not is_plain_list(cls, arrays):
        return cls
    return _describe_list(arrays, value, depth)


def _describe_list(arrays: ArrayTypes, value: Any, depth: int) -> ListOf:
    kinds = set(map(type, value))
    lists = {kind for kind in kinds if is_plain_list(kind, arrays)}
    if not lists:
        return ListOf(type(value), frozenset(kinds))
    # Each list once, however often it is an item: a list may contain itself.
    inner = {id(item): item for item in value if type(item) in lists}
    found = {describe(arrays, item, depth - 1) for item in inner.values()}
    return ListOf(type(value), frozenset(kinds - lists | found))


def describe_array(value: Any) -> ArrayOf:
    """Return the type of an array and whether it has no dimensions."""
    return ArrayOf(type(value), getattr(value, "ndim", None) == 0)


def describe_arrays(values: Any) -> ListOf:
    """Return the type of a list of arrays, each with whether it has no dimensions."""
    items = (type(v) if v is None else describe_array(v) for v in values)
    return ListOf(type(values), frozenset(items))


def is_plain_list(cls: Given, arrays: ArrayTypes) -> bool:
    """Whether this is the class of a list whose items have not been looked at.

    A subclass of list or tuple that is registered as a class of arrays is none.
    """
    if cls is list or cls is tuple:
        return True
    if not isinstance(cls, type):
        return False
    bases = cls.__mro__
    return (list in bases or tuple in bases) and arrays.lookup(cls) is None


def classes(given: Given) -> Iterator[type]:
    """Yield the class of an argument, or for a list those of its items."""
    return (cls for cls, _ in _leaves(given))


def _leaves(given: Given) -> Iterator[tuple[type, bool]]:
    """Yield each class in an argument, and whether as an array without dimensions."""
    if isinstance(given, ListOf):
        for item in given.items:
            yield from _leaves(item)
    elif isinstance(given, ArrayOf):
        yield given.kind, given.zero_dim
    else:
        yield str if isinstance(given, DeviceName) else given, False


def backends(given: Given, arrays: ArrayTypes) -> list[tuple[str, bool]]:
    """Return the backends an argument belongs to, each with whether as a scalar."""
    found = ((arrays.lookup(cls), zero_dim) for cls, zero_dim in _leaves(given))
    return sorted(
        {(a.backend, a.scalar or zero_dim) for a, zero_dim in found if a and a.backend}
    )


def keyed_class(given: Given, arrays: ArrayTypes) -> Any:
    """Return the class of arrays with their own keys in an argument, None if none."""
    for cls in classes(given):
        found = arrays.lookup(cls)
        if found is not None and found.keyed:
            return cls
    return None


def own_bits(given: Given, arrays: ArrayTypes) -> int:
    """Return the bits that an argument brings by its class alone, not its backend."""
    bits = 0
    for cls in classes(given):
        if found := arrays.lookup(cls):
            bits |= found.bits & arrays.python_bit
    return bits


def has_number(given: Given, arrays: ArrayTypes) -> bool:
    """Whether an argument is, or its list has, a number that stands for an array."""
    return any(
        arrays.lookup(cls) is None and issubclass(cls, NUMBERS)
        for cls in classes(given)
    )


def type_name(given: Given) -> str:
    """Return the name of an argument's type as messages show it."""
    if isinstance(given, ListOf):
        items = " | ".join(sorted(map(type_name, given.items)))
        return f"{given.kind.__name__}[{items}]"
    if isinstance(given, DeviceName):
        return "str"
    if isinstance(given, ArrayOf):
        return type_name(given.kind)
    if given.__module__ == "builtins":
        return given.__qualname__
    return f"{given.__module__}.{given.__qualname__}"
