"""Arguments: which Python types a schema type takes, and what they become.

Resolution happens once per combination of argument types, so everything here works
on types. A list is seen as the set of the types of its items. Where a value has to
change on its way to the kernel (a NumPy integer given for ``int``, a lone int given
for ``int[2]``) the type decides which converter does it, and calls pay only for that.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .array_types import ArrayTypes
from .errors import ArgumentValueError
from .symbols import SymbolicBool, SymbolicFloat, SymbolicInt, SymbolicNumber

if TYPE_CHECKING:
    from .schema import BaseType, ListType, Type

Convert = Callable[[Any], Any]
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


class Accepted(NamedTuple):
    """How a schema type takes an argument of some type."""

    #: 0 for the very type, more the further the type is from it.
    distance: int
    #: What the value goes through on its way to the kernel, if anything.
    convert: Convert | None = None
    #: Whether there are values of the type that cannot be converted.
    can_fail: bool = True


#: Says how one schema type takes arguments of a class.
Accept = Callable[[type, "ArrayTypes"], Accepted | None]
EXACT: Final = Accepted(0)
#: The numbers of Python, and those that stand for one.
NUMBERS: Final[tuple[type[Any], ...]] = (bool, int, float, complex, SymbolicNumber)
#: A Python number given where an array is expected stays a weak scalar.
WEAK: Final = Accepted(2)


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


def accept(expected: Type, given: Given, arrays: ArrayTypes) -> Accepted | None:
    """Return how a schema type takes an argument of type ``given``, None if not."""
    if expected.kind == "optional":
        if given is type(None):
            return EXACT
        return accept(expected.element, given, arrays)
    if expected.kind == "list":
        return _accept_list(expected, given, arrays)
    return _accept_base(expected, given, arrays)


def _accept_list(
    expected: ListType, given: Given, arrays: ArrayTypes
) -> Accepted | None:
    element, size = expected.element, expected.size
    if isinstance(given, ListOf):
        found = [accept(element, item, arrays) for item in given.items]
        if None in found:
            return None
        taken = [item for item in found if item is not None]
        distance = max((item.distance for item in taken), default=0)
        if all(item.convert is None for item in taken):
            return Accepted(distance)
        return Accepted(distance, _item_converter(element, arrays))
    one = None if size is None else accept(element, given, arrays)
    if size is None or one is None:
        return None
    can_fail = one.convert is not None and one.can_fail
    return Accepted(one.distance + 1, _repeat(one.convert, size), can_fail)


def _item_converter(element: Type, arrays: ArrayTypes) -> Convert:
    def convert_items(items: Any) -> list[Any]:
        made: list[Any] = []
        for item in items:
            taken = accept(element, describe(arrays, item), arrays)
            convert = taken.convert if taken is not None else None
            made.append(item if convert is None else convert(item))
        return made

    return convert_items


def _repeat(convert: Convert | None, size: int) -> Convert:
    # PyTorch's rule for `int[N]`: a lone value stands for N equal ones.
    if convert is None:
        return lambda value: (value,) * size
    return lambda value: (convert(value),) * size


def _accept_base(
    expected: BaseType, given: Given, arrays: ArrayTypes
) -> Accepted | None:
    if isinstance(given, ListOf) or given is type(None):
        return None
    (cls,) = classes(given)
    take: Accept = _BY_NAME.get(expected.name, _opaque)
    return take(cls, arrays)


def _tensor(cls: type, arrays: ArrayTypes) -> Accepted | None:
    if arrays.lookup(cls) is not None:
        return EXACT
    return WEAK if issubclass(cls, NUMBERS) else None


def _scalar(cls: type, arrays: ArrayTypes) -> Accepted | None:
    found = arrays.lookup(cls)
    if found is not None:
        return Accepted(1 if found.scalar else 3, _item)
    return EXACT if issubclass(cls, NUMBERS) else None


def _int(cls: type, arrays: ArrayTypes) -> Accepted | None:
    # bool is refused, as PyTorch does: it is nearly always a misplaced flag.
    if issubclass(cls, bool):
        return None
    if issubclass(cls, int):
        return EXACT
    # `int()` of a symbolic number fixes it to its value: only a SymInt is symbolic.
    is_integer = issubclass(cls, (numbers.Integral, SymbolicInt))
    return Accepted(1, int) if is_integer else None


def _sym_int(cls: type[Any], arrays: ArrayTypes) -> Accepted | None:
    return EXACT if issubclass(cls, SymbolicInt) else _int(cls, arrays)


def _float(cls: type, arrays: ArrayTypes) -> Accepted | None:
    if cls is float:
        return EXACT
    if issubclass(cls, (SymbolicInt, SymbolicFloat)):
        return Accepted(1, float)
    if issubclass(cls, bool) or not issubclass(cls, numbers.Real):
        return None
    return Accepted(1, float)


def _complex(cls: type, arrays: ArrayTypes) -> Accepted | None:
    if cls is complex:
        return EXACT
    if issubclass(cls, bool) or not issubclass(cls, numbers.Complex):
        return None
    return Accepted(1, complex)


def _bool(cls: type, arrays: ArrayTypes) -> Accepted | None:
    if cls is bool:
        return EXACT
    is_numpy_bool = cls.__module__ == "numpy" and cls.__name__ in ("bool", "bool_")
    return Accepted(1, bool) if is_numpy_bool or issubclass(cls, SymbolicBool) else None


def _sym_bool(cls: type[Any], arrays: ArrayTypes) -> Accepted | None:
    return EXACT if issubclass(cls, SymbolicBool) else _bool(cls, arrays)


def _str(cls: type, arrays: ArrayTypes) -> Accepted | None:
    return EXACT if issubclass(cls, str) else None


_NEVER_OPAQUE: Final[tuple[type[Any], ...]] = (*NUMBERS, list, tuple, dict, set)


def _opaque(cls: type[Any], arrays: ArrayTypes) -> Accepted | None:
    # dtypes, devices, layouts and the like belong to the backend, whose kernel reads
    # them. What can be none of them is refused here, where the message is better.
    if issubclass(cls, _NEVER_OPAQUE) or arrays.lookup(cls) is not None:
        return None
    return EXACT


def _item(value: Any) -> Any:
    if getattr(value, "ndim", 0) != 0:
        raise ArgumentValueError(
            f"a Scalar takes a number or an array without dimensions, not one of shape"
            f" {tuple(value.shape)}"
        )
    return value.item()


_BY_NAME: Final[dict[str, Accept]] = {
    "Tensor": _tensor,
    "Scalar": _scalar,
    "int": _int,
    "SymInt": _sym_int,
    "DeviceIndex": _int,
    "float": _float,
    "complex": _complex,
    "bool": _bool,
    "SymBool": _sym_bool,
    "str": _str,
}
