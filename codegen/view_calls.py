"""Views of calls: how generated code finds the handler of a call, and calls it.

A handler is cached under the types of the arguments, in a dictionary of dictionaries:
one lookup for each argument, and nothing to build beforehand.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Final

from ..runtime.schema import FunctionSchema
from .literals import string, tuple_of

#: Globals that the bodies of generated functions read. A parameter of such a name
#: would hide them.
GLOBALS: Final = ("KeyError", "MISSING", "active", "type")


@dataclass(frozen=True, slots=True)
class Shape:
    """The names of the arguments of a call, and how they are passed on."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    #: How many of the first a call gives by position; None for all of them.
    by_position: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All arguments in order."""
        return self.positional + self.keyword_only

    @property
    def source(self) -> str:
        """The arguments of ``HandlerCache`` as source."""
        positional = tuple_of(map(string, self.positional))
        keyword_only = tuple_of(map(string, self.keyword_only))
        if self.by_position is None:
            return f"{positional}, {keyword_only}"
        return f"{positional}, {keyword_only}, by_position={self.by_position}"


@dataclass(frozen=True, slots=True)
class CacheView:
    """A handler cache, and the names that the module has for it."""

    name: str
    handlers: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class CallView:
    """One call through a cache, as pieces of source."""

    cache: str
    #: The local that holds the handler.
    handler: str
    lookup: str
    #: The types of the arguments, and the arguments as they are passed on.
    types: str
    arguments: str


def shape_of(schemas: Sequence[FunctionSchema]) -> Shape:
    """Return the shape of overloads that take arguments of the same names.

    Arguments are passed the way that the first one takes them.
    """
    first = schemas[0]
    return Shape(
        tuple(arg.name for arg in first.positional),
        tuple(arg.name for arg in first.keyword_only),
    )


def hides_globals(names: Iterable[str]) -> bool:
    """Whether a function with these parameters cannot have a body of its own."""
    return any(name in GLOBALS or iskeyword(name) or is_mangled(name) for name in names)


def is_mangled(name: str) -> bool:
    """Whether a name means another one inside of a class."""
    return name.startswith("__") and not name.endswith("__")


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken: the wanted one, with ``_`` behind if need be."""
    while name in taken:
        name += "_"
    return name


def call_view(cache: CacheView) -> CallView:
    """Return the view of a call through a cache."""
    names = cache.shape.names
    keys = [f"[type({name})]" for name in names] or ["[()]"]
    named = [f"{name}={name}" for name in cache.shape.keyword_only]
    return CallView(
        cache=cache.name,
        handler=free_name("handler", names),
        lookup=cache.handlers + "".join(keys),
        types=", ".join(f"type({name})" for name in names),
        arguments=", ".join([*cache.shape.positional, *named]),
    )
