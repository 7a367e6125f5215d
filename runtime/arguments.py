"""Arguments: which Python types a schema type takes, and what they become.

Where a value has to change on its way to the kernel (a NumPy integer given for ``int``,
a lone int given for ``int[2]``) the type decides which converter does it, and calls pay
only for that.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .array_types import ArrayTypes
from .errors import ArgumentValueError
from .given import NUMBERS, Given, ListOf, classes, describe
from .symbols import SymbolicBool, SymbolicFloat, SymbolicInt

if TYPE_CHECKING:
    from .schema import BaseType, ListType, Type

Convert = Callable[[Any], Any]


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
#: A Python number given where an array is expected stays a weak scalar.
WEAK: Final = Accepted(2)


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
