"""Indexing with brackets, as operators: views for ints and slices, copies for arrays.

The rules are NumPy's: https://numpy.org/doc/stable/user/basics.indexing.html.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from .. import generated as ops
from ..runtime.errors import ArgumentIndexError
from .arrays import is_array


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
    if is_array(value):
        return value
    return ops.full_like(ops.select(ops.view(like, [-1]), 0, 0), value)


def _basic(array: Any, index: Any) -> tuple[Any, list[Any]]:
    """Apply ints, slices, None and ``...``; return the view and the arrays left."""
    items: list[Any] = [*index] if type(index) is tuple else [index]
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
        elif _is_slice(item):
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


def _is_slice(item: object) -> TypeGuard[slice]:
    return isinstance(item, slice)


def _is_int(item: Any) -> bool:
    from ..runtime.symbols import SymbolicInt

    return isinstance(item, (int, SymbolicInt)) and not isinstance(item, bool)


def _sliced(view: Any, dim: int, item: slice) -> Any:
    if item == slice(None):
        return view
    step = 1 if item.step is None else item.step
    if step < 0:
        raise ArgumentIndexError("the step of a slice is positive here; use flip")
    return ops.slice(view, dim, item.start, item.stop, step)


def _dimensions(item: Any) -> int:
    """Return how many dimensions of the array an item of an index takes."""
    if item is None or item is Ellipsis:
        return 0
    if getattr(getattr(item, "dtype", None), "kind", "") == "b":
        return len(item.shape)
    return 1


def _index_array(item: object) -> Any:
    if is_array(item):
        return item
    if isinstance(item, (list, bool)):
        import numpy as np

        return np.asarray(item)
    raise ArgumentIndexError(
        f"an index is made of ints, slices, None, '...' and arrays, not"
        f" {type(item).__name__}"
    )
