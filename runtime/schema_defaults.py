"""Read the default of an argument, and hold it against the argument's type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .nearest import nearest
from .schema_lexer import LONGEST_SHOWN, Tokens, quoted
from .schema_literals import WORDS_FOR_INTS, Default, Word, take_list, take_literal
from .schema_model import BaseType, ListType, OptionalType, Type

_DTYPES: Final = (
    "uint8 byte int8 char int16 short int32 int int64 long uint16 uint32 uint64 half "
    "float16 float float32 double float64 bfloat16 chalf complex32 cfloat complex64 "
    "cdouble complex128 bool"
)
_LAYOUTS: Final = (
    "strided sparse sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc jagged"
)
_MEMORY_FORMATS: Final = (
    "contiguous_format preserve_format channels_last channels_last_3d"
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What the default of a base type may be: these Python types, these bare words."""

    describe: str
    types: tuple[type, ...] = ()
    words: frozenset[str] = frozenset()


def _words(describe: str, words: str) -> _Rule:
    # PyTorch's runtime prints such words as the numbers of its C++ enums.
    return _Rule(describe, (int,), frozenset(words.split()))


_NONE: Final = type(None)
_NOTHING = _Rule("None")
_INTEGER = _Rule("a whole number", (int,))
_TRUTH = _Rule("True or False", (bool,))
_QUOTED = _Rule("a quoted text", (str,))

_RULES: Final[Mapping[str, _Rule]] = {
    "Any": _Rule("any value", (bool, int, float, complex, str, _NONE)),
    "Device": _Rule('a quoted text such as "cpu"', (str,)),
    "DeviceIndex": _INTEGER,
    "Dimname": _NOTHING,
    "Generator": _NOTHING,
    "Layout": _words("a layout such as strided", _LAYOUTS),
    "MemoryFormat": _words(
        "a memory format such as contiguous_format", _MEMORY_FORMATS
    ),
    "QScheme": _NOTHING,
    "Scalar": _Rule("a number", (bool, int, float, complex)),
    "ScalarType": _words("a dtype such as long", _DTYPES),
    "Storage": _NOTHING,
    "Stream": _NOTHING,
    "SymBool": _TRUTH,
    "SymInt": _INTEGER,
    "Tensor": _NOTHING,
    "bool": _TRUTH,
    "complex": _Rule("a number", (int, float, complex)),
    "float": _Rule("a number", (int, float)),
    "int": _words("a whole number or Mean", " ".join(WORDS_FOR_INTS)),
    "str": _QUOTED,
}


def take_default(tokens: Tokens, type: Type) -> None:
    """Go past a default that a type can have; refuse any other.

    What it stands for is left to ``Argument.default``.
    """
    while isinstance(type, OptionalType):
        if tokens.accept("None"):
            return
        type = type.element
    if isinstance(type, BaseType):
        _take_scalar(tokens, type)
    elif tokens.peek == "[":
        _take_list(tokens, type)
    elif type.size is not None:
        take_default(tokens, type.element)
    elif tokens.peek == "None":
        tokens.fail(f"None is no default of {type}: write {type}?")
    else:
        tokens.fail(
            f"the default of {type} is a list in square brackets, not "
            f"{quoted(tokens.peek)}"
        )


def _take_list(tokens: Tokens, type: ListType) -> None:
    start = tokens.at
    count = take_list(tokens, lambda: take_default(tokens, type.element))
    # PyTorch has int[1] dim=[-2,-1]: 1 says that one value will do, and no more.
    if type.size not in (None, 1, count) and count:
        tokens.fail(f"{type} takes {type.size} items, and this has {count}", start)


def _take_scalar(tokens: Tokens, type: BaseType) -> None:
    start = tokens.at
    value = take_literal(tokens)
    problem = _why_not(type, value)
    if problem is not None:
        tokens.fail(problem, start)


def _why_not(type: BaseType, value: Default) -> str | None:
    """Return the sentence that refuses a default, or ``None`` if it is a good one."""
    rule = _RULES.get(type.name, _NOTHING)
    if isinstance(value, Word):
        if value in rule.words:
            return None
    # A truth value is a whole number to Python; here it is none.
    elif value.__class__ in rule.types:
        return None
    if value is None:
        return f"None is no default of {type}: write {type}?"
    if rule is _NOTHING:
        return f"{type} has no default but None, and that as {type}?"
    problem = f"the default of {type} is {rule.describe}, not {_shown(value)}"
    if isinstance(value, Word) and len(value) <= LONGEST_SHOWN:
        hint = nearest(value, (*rule.words, "True", "False", "None"))
        return f"{problem}.{hint}" if hint else problem
    return problem


def _shown(value: Default) -> str:
    text = value if isinstance(value, Word) else repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
