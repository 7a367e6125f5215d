"""Arithmetic of sizes, some of which may be symbolic.

A symbolic size stands for an integer that is not known yet, and is at least 2: sizes 0
and 1 are plain integers. It records a guard whenever the truth of a comparison with it
is asked. So a question is asked only where its answer decides about the result, and
what identity tells is not asked at all.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from operator import index
from typing import Any, Final, TypeAlias

from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentIndexError, ArgumentValueError
from ..numpy.refusals import named_twice

#: An int, or a symbolic one: it has the arithmetic and the comparisons of an int.
Size: TypeAlias = Any
Shape: TypeAlias = tuple[Size, ...]

# CPython has one object for each of these, so a test of identity finds them, and is no
# question to a symbolic size.
_ZERO: Final = 0
_ONE: Final = 1


def is_one(size: Size) -> bool:
    """Whether a size is 1. A symbolic one that is computed, as n - 1, is asked."""
    return size is _ONE or bool(size == 1)


def is_empty(shape: Shape) -> bool:
    """Whether an array of a shape has no elements."""
    return _ZERO in shape


def product(sizes: Sequence[Size]) -> Size:
    """Return the product of sizes, 1 for none."""
    result: Size = _ONE
    for size in sizes:
        if size is not _ONE:
            result = size if result is _ONE else result * size
    return result


def check_sizes(size: Sequence[Size], argument: str = "size") -> None:
    """Raise ArgumentValueError for a negative size."""
    for each in size:
        if each < 0:
            raise ArgumentValueError(f"{argument} is {list(size)}; {each} is negative")


# --- dimensions -----------------------------------------------------------------------


def wrap_dim(dim: int, ndim: int) -> int:
    """Return a dimension counted from 0; AxisError where there is no such.

    An array without dimensions passes as one with dimension 0, as in PyTorch: callers
    that do so give ``ndim or 1``.
    """
    return normalize_axis_index(dim, ndim)


def wrap_dims(dims: Sequence[int], ndim: int, argument: str) -> tuple[int, ...]:
    """Return dimensions counted from 0; ArgumentValueError where one is there twice."""
    axes = tuple([normalize_axis_index(dim, ndim) for dim in dims])
    if len(set(axes)) != len(axes):
        raise named_twice(argument, dims)
    return axes


def without(shape: Shape, axes: Sequence[int] | None, keepdim: bool) -> Shape:
    """Return a shape reduced over axes counted from 0; None stands for all."""
    if axes is None:
        return (_ONE,) * len(shape) if keepdim else ()
    if keepdim:
        return tuple([1 if axis in axes else n for axis, n in enumerate(shape)])
    return tuple([n for axis, n in enumerate(shape) if axis not in axes])


def replaced(shape: Shape, axis: int, *sizes: Size) -> Shape:
    """Return a shape with other sizes, or none, in the place of that of an axis."""
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


# --- broadcasting ---------------------------------------------------------------------


def broadcast(first: Shape, second: Shape) -> Shape:
    """Return the shape that two broadcast to, the longer one itself where that is it.

    Asks one equality for each pair of sizes that are neither the same object nor 1.
    Raises ArgumentValueError where they do not broadcast.
    """
    if first is second or not second:
        return first
    added = len(first) - len(second)
    if added < 0:
        return broadcast(second, first)
    sizes: list[Size] | None = None
    for place, other in enumerate(second, added):
        one = first[place]
        if one is other or other is _ONE:
            continue
        size = _common(one, other)
        if size is None:
            raise ArgumentValueError(f"shapes {first} and {second} do not broadcast")
        if size is not one:
            sizes = sizes or [*first]
            sizes[place] = size
    return first if sizes is None else tuple(sizes)


def broadcast_to(shape: Shape, target: Shape, argument: str) -> Shape:
    """Return ``target``, to which an array called ``argument`` has to broadcast.

    Raises ArgumentValueError where it does not.
    """
    added = len(target) - len(shape)
    pairs = zip(shape, target[max(added, 0) :], strict=False)
    if added < 0 or not all(
        one is other or one is _ONE or one == other or one == 1 for one, other in pairs
    ):
        raise ArgumentValueError(
            f"{argument} has shape {shape}, which does not broadcast to {target}"
        )
    return target


def are_equal(first: Shape, second: Shape) -> bool:
    """Whether two shapes are the same; identical sizes are not asked."""
    if first is second:
        return True
    return len(first) == len(second) and all(
        one is other or one == other for one, other in zip(first, second, strict=True)
    )


def _common(one: Size, other: Size) -> Size | None:
    """Return the size that two broadcast to, None if there is none."""
    if one is _ONE:
        return other
    if one == other:
        return one
    # Only sizes that are computed can be 1 and symbolic.
    if other == 1:
        return one
    return other if one == 1 else None


# --- views ----------------------------------------------------------------------------


def viewed(shape: Shape, size: Sequence[Size]) -> Shape:
    """Return the shape of a view with ``size``, in which one -1 is what is left.

    Sizes that both have are not asked about. Raises ArgumentValueError where the view
    would have another number of elements.
    """
    free = [place for place, n in enumerate(size) if n is _FREE]
    known = [n for n in size if n is not _FREE]
    check_sizes(known)
    if len(free) > 1:
        raise ArgumentValueError(f"size is {list(size)}; only one can be -1")
    old, new = _unshared(shape, known)
    if not free:
        if old is not new and old != new:
            raise _unfit_view(shape, size)
        return tuple(size)
    if new is _ONE:
        left = old
    elif is_empty((new,)) or old % new != 0:
        raise _unfit_view(shape, size)
    else:
        left = old // new
    return replaced(tuple(size), free[0], left)


#: What stands for the size that is left. One object too, as 0 and 1 are.
_FREE: Final = -1


def _unshared(shape: Shape, size: Sequence[Size]) -> tuple[Size, Size]:
    """Return the products of two lists of sizes, those left out that both have."""
    rest = list(shape)
    added: list[Size] = []
    for new in size:
        for place, old in enumerate(rest):
            # What is left of nothing is not known, so a 0 stays in.
            if old is new and new is not _ZERO:
                del rest[place]
                break
        else:
            added.append(new)
    return product(rest), product(added)


def _unfit_view(shape: Shape, size: Sequence[Size]) -> ArgumentValueError:
    return ArgumentValueError(
        f"size is {list(size)}, which an array of shape {shape} has no view of"
    )


# --- parts of a dimension -------------------------------------------------------------


def check_place(place: Size, size: Size) -> None:
    """Raise ArgumentIndexError unless an index, negative from the end, is in bounds."""
    if not (-size <= place if place < 0 else place < size):
        raise ArgumentIndexError(
            f"index {place} is out of bounds for a dimension of size {size}"
        )


def slice_length(size: Size, start: Size | None, end: Size | None, step: Size) -> Size:
    """Return how many elements a slice takes of a dimension, as Python counts them.

    The whole dimension asks nothing. ``step`` is positive.
    """
    first = _ZERO if start is None else _bound(start, size)
    last = size if end is None or _is_endless(end) else _bound(end, size)
    length = last if first is _ZERO else last - first
    if length is not size and length <= 0:
        return _ZERO
    return length if step is _ONE else (length + step - 1) // step


def piece_count(size: Size, length: Size) -> int:
    """Return in how many pieces of a length, the last one shorter, a dimension falls.

    It has to be a plain number, so of a symbolic one the value is asked.
    """
    return max(index((size + length - 1) // length), 1)


def _bound(bound: Size, size: Size) -> Size:
    """Return a bound of a slice as Python clips it to a dimension."""
    if bound is size:
        return size
    if bound < 0:
        from_start = size + bound
        return _ZERO if from_start < 0 else from_start
    return size if bound > size else bound


def _is_endless(end: Size) -> bool:
    """Whether the end of a slice is the number by which PyTorch says: all of it."""
    return type(end) is int and end >= sys.maxsize
