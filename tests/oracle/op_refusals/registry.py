"""The calls that both refuse, which the modules beside this one register."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from ..op_arguments import Call

#: The name of an overload, a call of it, and the exception that ours is.
Refusals: TypeAlias = Iterator[tuple[str, Call, type[Exception]]]
SOURCES: list[Callable[[], Refusals]] = []


def refuses(source: Callable[[], Refusals]) -> Callable[[], Refusals]:
    """Register a function as a source of refusals."""
    SOURCES.append(source)
    return source


def refusals() -> Refusals:
    """Yield the refusals of all sources."""
    for source in SOURCES:
        yield from source()
