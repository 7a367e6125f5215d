"""Kernels that pick by arrays of indices or masks, and write to what these pick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentIndexError, ArgumentValueError, DtypeError
from ..shaped import Shaped
from ..variants import on_copy, out
from .arrays import FEW, Array, broadcast, copied
from .dtypes import as_number
from .places import as_vector, check_indices, check_same_dtype, places_along
from .view import diagonal, select, slice_dim

_WHOLE: Final = slice(None)
_INT64: Final = np.dtype("int64")
# Any, as NumPy's stubs lack the slices that an index can have.
_add_at: Final[Any] = np.add.at
_PLACE_DTYPES: Final = (np.dtype("int32"), _INT64)
_Places: TypeAlias = tuple[Array | slice, ...]


def index(self: Array, indices: Sequence[Array | None]) -> Any:
    """Kernel of index.Tensor."""
    return self[_places(self, indices)]


def index_put_(
    self: Array,
    indices: Sequence[Array | None],
    values: Array,
    accumulate: bool = False,
) -> Array:
    """Kernel of index_put_."""
    places = _places(self, indices)
    if values.size == 1 and not accumulate and _is_one_mask(places):
        # What one mask picks is filled with a number, whatever dtype that had.
        self[places] = as_number(values.item(), self.dtype, "values")
        return self
    check_same_dtype(self, values, "values")
    # NumPy leaves out first dimensions of size 1, which PyTorch does not.
    if values.shape[:1] == (1,) and values.ndim > _ndim_of_picked(self, places):
        raise more_dimensions(values)
    if accumulate:
        _add_at(self, places, values)
    else:
        self[places] = values
    return self


def more_dimensions(values: Shaped) -> ArgumentValueError:
    """Return the error of values with more dimensions than the places for them."""
    return ArgumentValueError(
        f"values has {values.ndim} dimensions, more than what is picked for them"
    )


def index_select(self: Array, dim: int, index: Array) -> Any:
    """Kernel of index_select."""
    if self.ndim == index.ndim == 1 and dim in (0, -1):
        return _pick(self, index)
    axis = normalize_axis_index(dim, self.ndim or 1)
    check_indices(index)
    if index.ndim > 1 or (self.ndim == 0 and index.size != 1):
        raise unfit_index(index)
    picked = as_vector(self).take(as_vector(index), axis)
    return picked if self.ndim else picked[0]


def unfit_index(index: Shaped) -> ArgumentValueError:
    """Return the error of an index of another shape than index_select takes."""
    return ArgumentValueError(
        f"index has shape {index.shape}; it needs one dimension, and for an array"
        " without dimensions one element"
    )


def gather(self: Array, dim: int, index: Array, *, sparse_grad: bool = False) -> Any:
    """Kernel of gather."""
    if index.size == 0:
        return np.empty(index.shape, self.dtype)
    if self.ndim == index.ndim == 1 and dim in (0, -1):
        return _pick(self, index)
    places = places_along(self, dim, index)
    return as_vector(self)[places].reshape(index.shape)


def _pick(self: Array, index: Array) -> Array:
    """Return the elements at some places of an array with one dimension."""
    few = index.dtype is _INT64 and 0 < index.size <= FEW
    if few and index.item(index.argmin()) >= 0:
        return self[index]  # In half the time of take, for so few.
    check_indices(index)
    return self.take(index)


def nonzero(self: Array) -> Array:
    """Kernel of nonzero."""
    if self.ndim == 1:
        return self.nonzero()[0][:, None]
    return np.argwhere(self)


def masked_scatter_(self: Array, mask: Array, source: Array) -> Array:
    """Kernel of masked_scatter_."""
    check_mask(mask)
    check_same_dtype(self, source, "source")
    chosen = broadcast(mask, self.shape, "mask")
    count = np.count_nonzero(chosen)
    if source.size < count:
        raise ArgumentValueError(
            f"source has {source.size} elements, the mask chooses {count}"
        )
    self[chosen] = source.reshape(-1)[:count]
    return self


def masked_scatter(self: Array, mask: Array, source: Array) -> Array:
    """Kernel of masked_scatter."""
    shape = np.broadcast_shapes(self.shape, mask.shape)
    return masked_scatter_(np.broadcast_to(self, shape).copy(), mask, source)


def slice_scatter(
    self: Array,
    src: Array,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Array:
    """Kernel of slice_scatter."""
    result = copied(self)
    _fill(slice_dim(result, dim, start, end, step), src)
    return result


def select_scatter(self: Array, src: Array, dim: int, index: int) -> Array:
    """Kernel of select_scatter."""
    result = copied(self)
    _fill(select(result, dim, index), src)
    return result


def diagonal_scatter(
    self: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Array:
    """Kernel of diagonal_scatter."""
    result = copied(self)
    _fill(diagonal(result, offset, dim1, dim2), src)
    return result


index_out = out(index)
index_put = on_copy(index_put_, copied)
index_select_out = out(index_select)
gather_out = out(gather)
nonzero_out = out(nonzero)


def _places(self: Array, indices: Sequence[Array | None]) -> _Places:
    """Return NumPy's index for a list of arrays and None."""
    check_indices_list(self, indices)
    return tuple([_WHOLE if i is None else _place(i) for i in indices])


def check_indices_list(self: Shaped, indices: Sequence[Shaped | None]) -> None:
    """Raise ArgumentIndexError for too many indices, ArgumentValueError for none."""
    # For NumPy, masks without dimensions do not count.
    if len(indices) > self.ndim:
        raise ArgumentIndexError(
            f"indices has {len(indices)} items, self has {self.ndim} dimensions"
        )
    if all(index is None for index in indices):
        raise ArgumentValueError("index needs at least one array of indices")


def check_mask(mask: Shaped) -> None:
    """Raise DtypeError unless an array is a mask."""
    if mask.dtype.kind != "b":
        raise DtypeError(f"mask has dtype {mask.dtype}; a mask is of bool")


def unfit_part(src: Shaped, shape: tuple[int, ...]) -> ArgumentValueError:
    """Return the error of an array that has not the shape of what it replaces."""
    return ArgumentValueError(
        f"src has shape {src.shape}, the part to be replaced has {shape}"
    )


def _place(index: Array) -> Array:
    """Return indices or a mask as an array: a NumPy scalar would make a view."""
    dtype = index.dtype
    if dtype is _INT64 and type(index) is np.ndarray:
        return index  # As nearly all are.
    return np.asarray(index, "bool" if is_mask(index) else None)


def is_mask(index: Shaped) -> bool:
    """Whether one of several indices is a mask, and not of places.

    Raises ArgumentIndexError for a dtype that is neither.
    """
    dtype = index.dtype
    # PyTorch deprecates masks of uint8, and takes them.
    if dtype.char in "?B":
        return True
    if dtype in _PLACE_DTYPES:
        return False
    raise ArgumentIndexError(
        f"indices has an array of dtype {dtype}; it can be of int64 or int32,"
        " or a mask of bool or uint8"
    )


def _is_one_mask(places: _Places) -> bool:
    arrays = [place for place in places if not isinstance(place, slice)]
    return len(arrays) == 1 and arrays[0].dtype.kind == "b"


def _ndim_of_picked(self: Array, places: _Places) -> int:
    """Return how many dimensions ``self[places]`` has."""
    arrays = [place for place in places if not isinstance(place, slice)]
    # A mask picks in as many dimensions as it has, and gives one.
    masks = [place.dtype.kind == "b" for place in arrays]
    pairs = list(zip(arrays, masks, strict=True))
    given = max(1 if mask else place.ndim for place, mask in pairs)
    return given + self.ndim - sum(place.ndim if mask else 1 for place, mask in pairs)


def _fill(part: Array, src: Array) -> None:
    """Write ``src`` to a view that must have its very shape."""
    if src.shape != part.shape:
        raise unfit_part(src, part.shape)
    np.copyto(part, src, "unsafe")
