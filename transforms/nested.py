"""Values in lists and tuples to any depth: arguments and results of operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard, cast


def is_nested(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a value is a list or tuple of others; a named tuple is a value itself."""
    return type(value) is list or type(value) is tuple


def leaves(values: Iterable[object]) -> Iterator[Any]:
    """Yield values, and for lists and tuples what is in them."""
    # Not is_nested, here and below: every argument of every call comes by here.
    for value in values:
        kind = type(value)
        if kind is list or kind is tuple:
            yield from leaves(cast("list[object]", value))
        else:
            yield value


def mapped(value: object, change: Callable[[Any], Any]) -> Any:
    """Return a value with each leaf in it replaced by what ``change`` returns."""
    kind = type(value)
    if kind is not list and kind is not tuple:
        return change(value)
    items = [mapped(item, change) for item in cast("list[object]", value)]
    return items if kind is list else tuple(items)
