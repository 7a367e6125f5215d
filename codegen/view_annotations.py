"""Annotations: the types of a schema as the names that stubs have for them.

They are names of ``runtime/annotations.py``. A type is seen as the alternatives of a
union, so that two of them can be compared as type checkers compare them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from ..runtime.schema import BaseType, OptionalType, Return, Type


@dataclass(frozen=True, slots=True)
class Alternative:
    """One member of a union. ``items`` says what a sequence holds."""

    name: str
    items: tuple[Alternative, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{source(self.items)}]" if self.items else self.name


Annotation: TypeAlias = tuple[Alternative, ...]

_ANY: Final = "Array"
_OPAQUE: Final = "Opaque"
_SEQUENCE: Final = "Sequence"
_NONE: Final = Alternative("None")
#: Types that are not here belong to the array library.
_TAKEN: Final[Mapping[str, str]] = {
    "Any": _ANY,
    "DeviceIndex": "Int",
    "Scalar": "Number",
    "SymBool": "Bool",
    "SymInt": "Int",
    "Tensor": _ANY,
    "bool": "Bool",
    "complex": "Number",
    "float": "Float",
    "int": "Int",
    "str": "str",
}
#: Whatever is not here may be anything.
_RETURNED: Final[Mapping[str, str]] = {
    "DeviceIndex": "int",
    "SymBool": "bool",
    "SymInt": "int",
    "Tensor": _ANY,
    "bool": "bool",
    "float": "float",
    "int": "int",
    "str": "str",
}

#: How much wider the widest types are than any union of others. Of a sequence of them
#: hardly anything is left.
_WIDTHS: Final[Mapping[str, float]] = {_ANY: 900, _OPAQUE: 800}
_NESTED: Final = 30


@cache
def annotate(type: Type) -> Annotation:
    """Return what an argument of a schema type takes."""
    if isinstance(type, BaseType):
        return (Alternative(_TAKEN.get(type.name, _OPAQUE)),)
    element = annotate(type.element)
    if isinstance(type, OptionalType):
        return (*element, _NONE)
    several = Alternative(_SEQUENCE, element)
    return (several,) if type.size is None else (*element, several)


def result(returns: Sequence[Return]) -> str:
    """Return the source of the type of what a call returns."""
    types = [_result(each.type) for each in returns]
    if len(types) > 1:
        return f"tuple[{', '.join(types)}]"
    return types[0] if types else "None"


def _result(type: Type) -> str:
    if isinstance(type, BaseType):
        return _RETURNED.get(type.name, "Any")
    element = _result(type.element)
    if isinstance(type, OptionalType):
        return f"{element} | None"
    return f"list[{element}]"


def source(annotation: Annotation) -> str:
    """Return the source of an annotation."""
    return " | ".join(map(str, annotation))


@cache
def covers(wide: Annotation, narrow: Annotation) -> bool:
    """Whether ``wide`` takes whatever ``narrow`` takes, as type checkers see it."""
    return all(any(_covers(w, n) for w in wide) for n in narrow)


def _covers(wide: Alternative, narrow: Alternative) -> bool:
    if wide.name == _ANY or wide == narrow:
        return True
    if wide.name == _OPAQUE:
        return narrow.name != _ANY
    if wide.name != _SEQUENCE:
        return False
    # Text is a sequence of texts.
    is_sequence = narrow.name in (_SEQUENCE, "str")
    return is_sequence and covers(wide.items, narrow.items or (narrow,))


@cache
def width(annotation: Annotation) -> float:
    """Return a number that is larger for an annotation that covers another one."""
    return sum(
        2 + width(each.items) / _NESTED if each.items else _WIDTHS.get(each.name, 1)
        for each in annotation
    )
