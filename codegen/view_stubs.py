"""Views of stubs: what type checkers see of an operator.

To them an operator is an object of a class of its own, which has the overloads as
attributes and can be called in the ways of all of them. That it is a function with
attributes is more than they can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Final

from ..runtime.schema import Argument, FunctionSchema
from .model import Packet
from .reserved import ANNOTATIONS, call_class_name, class_name, packet_class_name
from .view_annotations import annotate, covers, result, source, width
from .view_calls import is_mangled

#: What a stub imports only if it is used.
IMPORTED: Final = frozenset({*ANNOTATIONS, "Any", "Sequence", "overload"})
#: What a call with any arguments is declared with.
_ANYTHING: Final = ("*args: Any", "**kwargs: Any")
#: What the class of an operator reads beside annotations.
_DECORATORS: Final = frozenset({"overload", "staticmethod"})


@dataclass(frozen=True, slots=True)
class CallStub:
    """One way to call something, as pieces of source."""

    parameters: tuple[str, ...]
    returns: str

    @property
    def words(self) -> set[str]:
        """Every name that the declaration reads, and more."""
        return words_of_types(self.parameters, self.returns)


def words_of_types(parameters: Iterable[str], returns: str) -> set[str]:
    """Return every name that the types of a declaration read, and more."""
    types = [param.partition(": ")[2] for param in parameters]
    return set(re.findall(r"\w+", " ".join([*types, returns])))


@dataclass(frozen=True, slots=True)
class OverloadStub:
    """The class of one overload."""

    class_name: str
    call: CallStub


@dataclass(frozen=True, slots=True)
class PacketStub:
    """The classes of one operator."""

    name: str
    class_name: str
    overloads: tuple[OverloadStub, ...]
    #: Attribute -> class.
    attributes: tuple[tuple[str, str], ...]
    calls: tuple[CallStub, ...]
    #: The name of a class of its own for the calls, where an overload is called like
    #: something that they read: inside of a class its attributes come first.
    call_class: str | None

    @property
    def is_overloaded(self) -> bool:
        """Whether there are several ways to call the operator."""
        return len(self.calls) > 1

    @property
    def words(self) -> set[str]:
        """Every name that the classes read, and more."""
        calls = [*self.calls, *(overload.call for overload in self.overloads)]
        words = {"OperatorFunction"}.union(*(call.words for call in calls))
        return words | _DECORATORS if self.is_overloaded else words


def packet_stub(packet: Packet) -> PacketStub:
    """Return the view of an operator's stub."""
    schemas = [overload.schema for overload in packet.overloads]
    names = {schema.overload_name: class_name(schema) for schema in schemas}
    attributes = {name: names[name] for name in names if _is_attribute(name)}
    calls = tuple(_calls(schemas))
    read = _DECORATORS.union(*(call.words for call in calls))
    return PacketStub(
        name=packet.name,
        class_name=packet_class_name(packet.name),
        overloads=tuple(
            OverloadStub(class_name(schema), _call(schema)) for schema in schemas
        ),
        attributes=tuple(attributes.items()),
        calls=calls,
        call_class=call_class_name(packet.name) if read & attributes.keys() else None,
    )


def _is_attribute(overload: str) -> bool:
    """Whether the overload can be declared, and be asked for with a dot."""
    return not iskeyword(overload) and not overload.startswith("__")


def _calls(schemas: Sequence[FunctionSchema]) -> Iterator[CallStub]:
    """Yield the ways to call an operator, the narrow ones before wide ones.

    Of overloads that type checkers take for the same only the first is there.
    """
    if not all(map(_is_nameable, schemas)):
        yield CallStub(_ANYTHING, common_result(schemas))
        return
    kept: list[FunctionSchema] = []
    for schema in sorted(schemas, key=_width):
        if not any(_covers(schema, k) and _covers(k, schema) for k in kept):
            kept.append(schema)
            mixed = [other for other in schemas if _may_be_both(schema, other)]
            yield _call(schema, common_result(mixed))


def common_result(schemas: Iterable[FunctionSchema]) -> str:
    """Return the type of the results; Any where they differ.

    Of ``max(x, dim)`` and ``max(x, other)`` a type checker that knows nothing of the
    second argument would choose one, and refuse what is done with the other's result.
    """
    results = {result(schema.returns) for schema in schemas}
    return results.pop() if len(results) == 1 else "Any"


def _call(schema: FunctionSchema, returns: str | None = None) -> CallStub:
    wanted = returns or result(schema.returns)
    if not _is_nameable(schema):
        return CallStub(_ANYTHING, wanted)
    positional = map(_parameter, schema.positional)
    keyword_only = [_parameter(arg) for arg in schema.keyword_only]
    star = ["*"] if keyword_only else []
    return CallStub((*positional, *star, *keyword_only), wanted)


def _parameter(argument: Argument) -> str:
    default = " = ..." if argument.has_default else ""
    return f"{argument.name}: {source(annotate(argument.type))}{default}"


def _is_nameable(schema: FunctionSchema) -> bool:
    """Whether Python can declare arguments of these names."""
    names = [arg.name for arg in schema.arguments]
    return not any(iskeyword(name) or is_mangled(name) for name in names)


def _width(schema: FunctionSchema) -> tuple[list[float], int, float]:
    """Return what is larger for an overload that takes all calls of another one.

    Positional arguments come first: by position ``max(x, other)`` takes all that
    ``max(x, dim)`` takes, although the names differ.
    """
    required = [arg for arg in schema.arguments if not arg.has_default]
    return (
        [width(annotate(arg.type)) for arg in schema.positional],
        -len(required),
        sum(width(annotate(arg.type)) for arg in schema.keyword_only),
    )


def _covers(wide: FunctionSchema, narrow: FunctionSchema) -> bool:
    """Whether ``wide`` takes every call that ``narrow`` takes."""
    count = len(narrow.positional)
    if len(wide.positional) < count:
        return False
    pairs = list(zip(wide.positional, narrow.positional, strict=False))
    others = {
        arg.name: arg for arg in wide.arguments if arg not in wide.positional[:count]
    }
    for argument in narrow.keyword_only:
        if argument.name not in others:
            return False
        pairs.append((others.pop(argument.name), argument))
    fit = all(w.name == n.name and _takes(w, n) for w, n in pairs)
    return fit and all(arg.has_default for arg in others.values())


def _takes(wide: Argument, narrow: Argument) -> bool:
    if narrow.has_default and not wide.has_default:
        return False
    return covers(annotate(wide.type), annotate(narrow.type))


def _may_be_both(one: FunctionSchema, other: FunctionSchema) -> bool:
    """Whether there is a call that either may be meant by, types left aside."""
    most = min(len(one.positional), len(other.positional))
    return any(_share_names(one, other, count) for count in range(most + 1))


def _share_names(one: FunctionSchema, other: FunctionSchema, count: int) -> bool:
    """Whether, after so many positional arguments, both may take the same names."""
    ours, theirs = one.positional[:count], other.positional[:count]
    left = [arg for arg in one.arguments if arg not in ours]
    right = [arg for arg in other.arguments if arg not in theirs]
    return _required(left) <= _names(right) and _required(right) <= _names(left)


def _names(arguments: Iterable[Argument]) -> set[str]:
    return {arg.name for arg in arguments}


def _required(arguments: Iterable[Argument]) -> set[str]:
    return {arg.name for arg in arguments if not arg.has_default}
