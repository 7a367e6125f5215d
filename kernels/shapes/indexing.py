"""Rules of what picks by arrays of indices or masks, or writes to what these pick.

What the indices are is not known, so none is found out of bounds. How many elements a
mask picks is not known either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...runtime.errors import ArgumentIndexError, ArgumentValueError, DataNeededError
from ..numpy.dtypes import check_number
from ..numpy.indexing import (
    check_indices_list,
    check_mask,
    is_mask,
    more_dimensions,
    unfit_index,
    unfit_part,
)
from ..numpy.places import check_index_dtype, check_same_dtype, check_within
from ..numpy.scatter import check_reduction
from ..shaped import Shaped
from .sizes import (
    Shape,
    Size,
    are_equal,
    broadcast,
    broadcast_to,
    is_empty,
    is_one,
    product,
    replaced,
    wrap_dim,
)
from .spec import ArraySpec, alike
from .view import diagonal, select, slice_dim

Indices = Sequence[Shaped | None]

# --- by several indices ---------------------------------------------------------------


def index(self: Shaped, indices: Indices) -> ArraySpec:
    """Rule of index.Tensor."""
    check_indices_list(self, indices)
    if any(each is not None and is_mask(each) for each in indices):
        _picked(self, indices)
        raise DataNeededError("the result of index.Tensor")
    return ArraySpec(_picked(self, indices), self.dtype)


def index_put(
    self: Shaped, indices: Indices, values: Shaped, accumulate: bool = False
) -> ArraySpec:
    """Rule of index_put."""
    check_indices_list(self, indices)
    masks = [is_mask(each) for each in indices if each is not None]
    is_number = masks == [True] and not accumulate and _is_single(values.shape)
    if is_number:
        # What one mask picks is filled with a number, whatever dtype that had.
        return alike(self)
    check_same_dtype(self, values, "values")
    shape = _picked(self, indices)
    if not any(masks):
        broadcast_to(values.shape, shape, "values")
    elif values.ndim > len(shape):
        raise more_dimensions(values)
    return alike(self)


def _picked(self: Shaped, indices: Indices) -> Shape:
    """Return the shape of what indices pick, if a mask picked one place.

    The dimensions of the picked places come where the indices are, or first where
    others lie between these.
    """
    given = [place for place, each in enumerate(indices) if each is not None]
    shape: Shape = ()
    kept: list[Size] = []
    axis = 0
    for each in indices:
        spanned = each.ndim if each is not None and is_mask(each) else 1
        if each is None:
            kept += self.shape[axis : axis + 1]
        else:
            picked = (1,) if is_mask(each) else each.shape
            shape = _broadcast_indices(shape, picked)
        axis += spanned
    if axis > self.ndim:
        raise ArgumentIndexError(
            f"indices are for {axis} dimensions, self has {self.ndim}"
        )
    kept += self.shape[axis:]
    lie_together = given[-1] - given[0] + 1 == len(given)
    before = given[0] if lie_together else 0
    return (*kept[:before], *shape, *kept[before:])


def _broadcast_indices(first: Shape, second: Shape) -> Shape:
    try:
        return broadcast(first, second) if first else second
    except ArgumentValueError as error:
        raise ArgumentIndexError(f"indices: {error}") from None


def _is_single(shape: Shape) -> bool:
    return all(is_one(size) for size in shape)


# --- along a dimension ----------------------------------------------------------------


def index_select(self: Shaped, dim: int, index: Shaped) -> ArraySpec:
    """Rule of index_select."""
    axis = wrap_dim(dim, self.ndim or 1)
    check_index_dtype(index)
    if index.ndim > 1 or (self.ndim == 0 and not _is_single(index.shape)):
        raise unfit_index(index)
    if not self.ndim:
        return alike(self)
    return ArraySpec(replaced(self.shape, axis, product(index.shape)), self.dtype)


def gather(
    self: Shaped, dim: int, index: Shaped, *, sparse_grad: bool = False
) -> ArraySpec:
    """Rule of gather."""
    _check_places(self, dim, index)
    return ArraySpec(index.shape, self.dtype)


def scatter_src(self: Shaped, dim: int, index: Shaped, src: Shaped) -> ArraySpec:
    """Rule of scatter.src and scatter_add."""
    check_same_dtype(self, src, "src")
    _check_places(self, dim, index, src)
    return alike(self)


def scatter_value(self: Shaped, dim: int, index: Shaped, value: Any) -> ArraySpec:
    """Rule of scatter.value."""
    check_number(value, self.dtype, "value")
    _check_places(self, dim, index)
    return alike(self)


def scatter_reduce(
    self: Shaped,
    dim: int,
    index: Shaped,
    src: Shaped,
    reduce: str,
    *,
    include_self: bool = True,
) -> ArraySpec:
    """Rule of scatter_reduce.two."""
    check_reduction(self, src, reduce)
    _check_places(self, dim, index, src)
    return alike(self)


def _check_places(
    self: Shaped, dim: int, index: Shaped, src: Shaped | None = None
) -> None:
    """Refuse an index that is larger than what it is for; one of nothing is taken."""
    if is_empty(index.shape):
        return
    axis = wrap_dim(dim, self.ndim or 1)
    check_index_dtype(index)
    check_within("index", _as_vector(index), "self", _as_vector(self), axis)
    if src is not None:
        check_within("index", _as_vector(index), "src", _as_vector(src))


def _as_vector(self: Shaped) -> Shaped:
    return self if self.ndim else ArraySpec((1,), self.dtype)


# --- by a mask ------------------------------------------------------------------------


def nonzero(self: Shaped) -> NoReturn:
    """Rule of nonzero, of which nothing is known."""
    raise DataNeededError("the result of nonzero")


def masked_scatter(self: Shaped, mask: Shaped, source: Shaped) -> ArraySpec:
    """Rule of masked_scatter."""
    shape = broadcast(self.shape, mask.shape) if self.shape else mask.shape
    check_mask(mask)
    check_same_dtype(self, source, "source")
    return ArraySpec(shape, self.dtype)


# --- parts ----------------------------------------------------------------------------


def slice_scatter(
    self: Shaped,
    src: Shaped,
    dim: int = 0,
    start: Any = None,
    end: Any = None,
    step: Any = 1,
) -> ArraySpec:
    """Rule of slice_scatter."""
    return _filled(self, slice_dim(self, dim, start, end, step), src)


def select_scatter(self: Shaped, src: Shaped, dim: int, index: Any) -> ArraySpec:
    """Rule of select_scatter."""
    return _filled(self, select(self, dim, index), src)


def diagonal_scatter(
    self: Shaped, src: Shaped, offset: Any = 0, dim1: int = 0, dim2: int = 1
) -> ArraySpec:
    """Rule of diagonal_scatter."""
    return _filled(self, diagonal(self, offset, dim1, dim2), src)


def _filled(self: Shaped, part: ArraySpec, src: Shaped) -> ArraySpec:
    if not are_equal(src.shape, part.shape):
        raise unfit_part(src, part.shape)
    return alike(self)
