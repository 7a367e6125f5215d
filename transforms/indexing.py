"""Indexing with brackets, as operators: views for ints and slices, copies for arrays.

The rules are NumPy's: https://numpy.org/doc/stable/user/basics.indexing.html.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from numbers import Integral
from typing import Any, Final, TypeGuard

import numpy as np

from .. import generated as ops
from ..runtime.errors import ArgumentIndexError
from ..runtime.symbols import SymbolicInt
from .arrays import converted, is_array

#: The class of NumPy's numbers; Any, as what is in them is not known to type checkers.
_NUMBER: Final[Any] = np.generic
#: The classes of lists, for which the same holds.
_SEQUENCES: Final[Any] = (list, tuple)


def read(array: Any, index: Any) -> Any:
    """Return the elements at an index.

    Raises ArgumentIndexError for an index that does not fit the array.
    """
    view, arrays = _basic(array, index)
    if not arrays:
        return ops.alias(view) if view is array else view
    return ops.index(view, arrays)


def write(array: Any, index: Any, value: Any) -> None:
    """Write to the elements at an index; a value of fewer dimensions is broadcast."""
    view, arrays = _basic(array, index)
    if arrays:
        value = converted(_as_array(view, value), array.dtype)
        ops.index_put_(view, arrays, _of_rank(value, _rank(view, arrays)))
    elif isinstance(value, (bool, int, float, complex)):
        ops.fill_(view, value)
    else:
        ops.copy_(view, _of_rank(_as_array(view, value), len(view.shape)))


def _as_array(like: Any, value: Any) -> Any:
    if is_array(value):
        return value
    if isinstance(value, _SEQUENCES):
        return np.asarray(value)
    return ops.new_full(like, [], value)


def _of_rank(value: Any, rank: int) -> Any:
    """Return a value without the dimensions of size 1 that are before all others."""
    while len(value.shape) > rank and value.shape[0] == 1:
        value = ops.squeeze(value, 0)
    return value


def _rank(view: Any, arrays: list[Any]) -> int:
    """Return how many dimensions the elements at some arrays of indices have."""
    given = [one for one in arrays if one is not None]
    taken = sum(map(_dimensions, given))
    made = max(1 if _is_mask(one) else len(one.shape) for one in given)
    return len(view.shape) - taken + made


def _basic(array: Any, index: Any) -> tuple[Any, list[Any]]:
    """Apply ints, slices, None and ``...``; return the view and the arrays left.

    The arrays are at the places of the dimensions that they take, with None for those
    that none of them does; a mask takes several.
    """
    view, dim, covered, arrays = array, 0, 0, list[Any]()
    for item in _items(index, len(array.shape)):
        if item is None or isinstance(item, bool):
            view = ops.unsqueeze(view, dim)
        if item is None:
            dim += 1
        elif _is_slice(item):
            view = _sliced(view, dim, item)
            dim += 1
        elif _is_int(item):
            view = ops.select(view, dim, item)
        else:
            arrays += [None] * (dim - covered)
            arrays.append(np.arange(int(item)) if isinstance(item, bool) else item)
            dim += 1 if isinstance(item, bool) else _dimensions(item)
            covered = dim
    return view, arrays


def _items(index: Any, rank: int) -> list[Any]:
    """Return the parts of an index, of which each takes the next dimensions.

    None adds a dimension, and so does a bool, of which the index 0 is taken if it is
    true and none else.
    """
    given: list[Any] = [*index] if type(index) is tuple else [index]
    parts = [*map(_part, given)]
    taken = sum(map(_dimensions, parts))
    if taken > rank:
        raise ArgumentIndexError(
            f"an index with {taken} places for an array with {rank} dimensions"
        )
    dots = [n for n, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise ArgumentIndexError("an index can have one '...', and this has more")
    if _are_apart(parts):
        parts = [np.asarray(part) if _is_int(part) else part for part in parts]
    place = dots[0] if dots else len(parts)
    parts[place : place + 1] = [slice(None)] * (rank - taken)
    return parts


def _are_apart(parts: list[Any]) -> bool:
    """Whether there are arrays, and others between them and ints.

    Then what arrays and ints pick comes before all other dimensions.
    """
    kinds = "".join(_kinds(parts)).strip(" ")
    return "a" in kinds and " " in kinds


def _kinds(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if part is None or part is Ellipsis or isinstance(part, slice):
            yield " "
        else:
            yield "i" if _is_int(part) else "a"


def _part(item: Any) -> Any:
    """Return a part of an index in the form of which there is one for each meaning."""
    if item is None or item is Ellipsis or isinstance(item, bool) or _is_slice(item):
        return item
    if isinstance(item, _NUMBER):
        item = item.item()
    if _is_int(item) or isinstance(item, bool):
        return item
    if isinstance(item, _SEQUENCES):
        found = np.asarray(item)
        return found if found.size else found.astype(np.int64)
    if not is_array(item):
        raise ArgumentIndexError(
            f"an index is made of ints, slices, None, '...' and arrays, not"
            f" {type(item).__name__}"
        )
    return bool(item) if _is_mask(item) and not item.shape else item


def _is_slice(item: object) -> TypeGuard[slice]:
    return isinstance(item, slice)


def _is_int(item: Any) -> bool:
    if isinstance(item, (int, SymbolicInt)):
        return not isinstance(item, bool)
    return isinstance(item, Integral)


def _is_mask(item: Any) -> bool:
    return getattr(getattr(item, "dtype", None), "kind", "") == "b"


def _sliced(view: Any, dim: int, item: slice) -> Any:
    start, stop, step = map(_bound, (item.start, item.stop, item.step))
    if start is stop is step is None:
        return view
    step = 1 if step is None else step
    if step < 0:
        raise ArgumentIndexError("the step of a slice is positive here; use flip")
    return ops.slice(view, dim, start, stop, step)


def _bound(value: Any) -> Any:
    """Return a bound of a slice as an int, which may be symbolic, or None."""
    return value if value is None or _is_int(value) else operator.index(value)


def _dimensions(item: Any) -> int:
    """Return how many dimensions of the array a part of an index takes."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return len(item.shape) if _is_mask(item) else 1
