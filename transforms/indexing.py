"""Indexing with brackets, as operators: views for ints and slices, copies for arrays.

The rules are NumPy's: https://numpy.org/doc/stable/user/basics.indexing.html.
"""

from __future__ import annotations

import operator
from numbers import Integral
from typing import Any

from .. import generated as ops
from ..generated.keys import DISPATCHER
from ..runtime.errors import ArgumentIndexError


def read(array: Any, index: Any) -> Any:
    """Return the elements at an index.

    Raises ArgumentIndexError for an index that does not fit the array.
    """
    view, arrays = _basic(array, index)
    if not any(one is not None for one in arrays):
        return ops.alias(view) if view is array else view
    return ops.index(view, arrays)


def write(array: Any, index: Any, value: Any) -> None:
    """Write to the elements at an index; a value of fewer dimensions is broadcast."""
    view, arrays = _basic(array, index)
    if any(one is not None for one in arrays):
        ops.index_put_(view, arrays, _as_array(view, value))
    elif isinstance(value, (bool, int, float, complex)):
        ops.fill_(view, value)
    else:
        ops.copy_(view, _as_array(view, value))


def _as_array(like: Any, value: Any) -> Any:
    if DISPATCHER.arrays.lookup(type(value)) is not None:
        return value
    return ops.full_like(ops.select(ops.view(like, [-1]), 0, 0), value)


def _basic(array: Any, index: Any) -> tuple[Any, list[Any]]:
    """Apply ints, slices, None and ``...``; return the view and the arrays left."""
    items = list(index) if type(index) is tuple else [index]
    taken = sum(_dimensions(item) for item in items)
    rank = len(array.shape)
    if taken > rank:
        raise ArgumentIndexError(
            f"an index with {taken} places for an array with {rank} dimensions"
        )
    dots = [n for n, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise ArgumentIndexError("an index can have one '...', and this has more")
    place = dots[0] if dots else len(items)
    items[place : place + 1] = [slice(None)] * (rank - taken)
    view, dim, arrays = array, 0, list[Any]()
    for item in items:
        if item is None:
            view = ops.unsqueeze(view, dim)
        elif isinstance(item, slice):
            view = _sliced(view, dim, item)
        elif _is_int(item):
            view = ops.select(view, dim, item)
            continue
        else:
            arrays += [None] * (dim - len(arrays))
            arrays.append(_index_array(item))
            dim += _dimensions(item) - 1
        dim += 1
    return view, arrays


def _is_int(item: Any) -> bool:
    from ..runtime.symbols import SymbolicInt

    if isinstance(item, (int, SymbolicInt)):
        return not isinstance(item, bool)
    return isinstance(item, Integral)


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
    """Return how many dimensions of the array an item of an index takes."""
    if item is None or item is Ellipsis:
        return 0
    if getattr(getattr(item, "dtype", None), "kind", "") == "b":
        return len(item.shape)
    return 1


def _index_array(item: Any) -> Any:
    if DISPATCHER.arrays.lookup(type(item)) is not None:
        return item
    if isinstance(item, (list, bool)):
        import numpy as np

        return np.asarray(item)
    raise ArgumentIndexError(
        f"an index is made of ints, slices, None, '...' and arrays, not"
        f" {type(item).__name__}"
    )
