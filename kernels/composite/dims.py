"""Dimensions and shapes, which may have symbolic sizes, as composites need them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from ...runtime.errors import ArgumentIndexError, ArgumentValueError


def wrapped(dim: int, ndim: int) -> int:
    """Return a dimension that may count from the end as one that does not.

    An array without dimensions passes as one with a dimension 0. Raises
    ArgumentIndexError for one that is not there.
    """
    count = ndim or 1
    if not -count <= dim < count:
        raise ArgumentIndexError(
            f"dimension {dim} is not there; the array has {ndim} dimensions"
        )
    return dim % count


def placed(dim: int, ndim: int) -> int:
    """Return a dimension as `wrapped` does, of an array that must have one."""
    if ndim == 0:
        raise ArgumentIndexError(
            f"dimension {dim} is not there; the array has 0 dimensions"
        )
    return wrapped(dim, ndim)


def each_once(argument: str, dims: Sequence[int], ndim: int) -> list[int]:
    """Return dimensions counted from the start; raise where one is there twice."""
    found = [wrapped(dim, ndim) for dim in dims]
    if len(set(found)) != len(found):
        raise ArgumentValueError(
            f"{argument} is {list(dims)}, which names a dimension twice"
        )
    return found


def broadcast(one: Sequence[Any], two: Sequence[Any]) -> list[Any]:
    """Return the shape to which two shapes broadcast.

    Raises ArgumentValueError where there is none.
    """
    pairs = zip_longest(reversed(one), reversed(two), fillvalue=1)
    sizes = [_larger(first, second) for first, second in pairs]
    if None in sizes:
        raise ArgumentValueError(
            f"shapes {tuple(one)} and {tuple(two)} do not broadcast"
        )
    return sizes[::-1]


def _larger(one: Any, two: Any) -> Any:
    """Return the size of a broadcast dimension, or None if the sizes do not fit."""
    if one is two or two == 1:
        return one
    return two if one == 1 or one == two else None
