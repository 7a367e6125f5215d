"""Rules of views.

They tell nothing of the order in memory, which decides whether the view of an array of
another shape exists: a rule takes every array as one whose elements lie in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...runtime.errors import ArgumentValueError
from ..numpy.promotion import real_dtype
from ..numpy.strides import check_geometry
from ..numpy.view import (
    check_complex,
    check_named,
    check_piece,
    check_step,
    complex_dtype,
    expanded,
    unfit_pieces,
)
from ..shaped import Shaped
from .sizes import (
    Size,
    broadcast_to,
    check_place,
    check_sizes,
    is_one,
    piece_count,
    replaced,
    slice_length,
    viewed,
    wrap_dim,
    wrap_dims,
)
from .spec import ArraySpec, alike


def alias(self: Shaped) -> ArraySpec:
    """Rule of alias and detach."""
    return alike(self)


def transpose(self: Shaped, dim0: int, dim1: int) -> ArraySpec:
    """Rule of transpose.int."""
    first, second = wrap_dim(dim0, self.ndim or 1), wrap_dim(dim1, self.ndim or 1)
    if first == second:
        return alike(self)
    sizes = list(self.shape)
    sizes[first], sizes[second] = sizes[second], sizes[first]
    return ArraySpec(tuple(sizes), self.dtype)


def permute(self: Shaped, dims: Sequence[int]) -> ArraySpec:
    """Rule of permute."""
    check_named(self, dims)
    axes = wrap_dims(dims, self.ndim, "dims")
    return ArraySpec(tuple([self.shape[axis] for axis in axes]), self.dtype)


def view(self: Shaped, size: Sequence[Size]) -> ArraySpec:
    """Rule of view."""
    return ArraySpec(viewed(self.shape, size), self.dtype)


def unsqueeze(self: Shaped, dim: int) -> ArraySpec:
    """Rule of unsqueeze."""
    axis = wrap_dim(dim, self.ndim + 1)
    return ArraySpec((*self.shape[:axis], 1, *self.shape[axis:]), self.dtype)


def squeeze_dim(self: Shaped, dim: int) -> ArraySpec:
    """Rule of squeeze.dim."""
    return squeeze_dims(self, [dim])


def squeeze_dims(self: Shaped, dim: Sequence[int]) -> ArraySpec:
    """Rule of squeeze.dims."""
    axes = wrap_dims(dim, self.ndim or 1, "dim")
    sizes = enumerate(self.shape)
    kept = tuple([n for axis, n in sizes if axis not in axes or not is_one(n)])
    return ArraySpec(kept, self.dtype)


def expand(self: Shaped, size: Sequence[Size], *, implicit: bool = False) -> ArraySpec:
    """Rule of expand."""
    shape = expanded(self, size)
    check_sizes(shape)
    return ArraySpec(broadcast_to(self.shape, shape, "self"), self.dtype)


def diagonal(self: Shaped, offset: Any = 0, dim1: int = 0, dim2: int = 1) -> ArraySpec:
    """Rule of diagonal."""
    first, second = wrap_dim(dim1, self.ndim or 1), wrap_dim(dim2, self.ndim or 1)
    if self.ndim < 2 or first == second:
        raise ArgumentValueError(
            f"a diagonal lies in two dimensions; dim1 is {dim1} and dim2 is {dim2}"
        )
    rows, columns = self.shape[first], self.shape[second]
    if offset < 0:
        rows = rows + offset
    elif offset != 0:
        columns = columns - offset
    length = rows if rows is columns or rows <= columns else columns
    kept = [n for axis, n in enumerate(self.shape) if axis not in (first, second)]
    return ArraySpec((*kept, 0 if length < 0 else length), self.dtype)


def select(self: Shaped, dim: int, index: Size) -> ArraySpec:
    """Rule of select.int."""
    axis = wrap_dim(dim, self.ndim)
    check_place(index, self.shape[axis])
    return ArraySpec(replaced(self.shape, axis), self.dtype)


def slice_dim(
    self: Shaped, dim: int = 0, start: Any = None, end: Any = None, step: Any = 1
) -> ArraySpec:
    """Rule of slice.Tensor."""
    axis = wrap_dim(dim, self.ndim)
    check_step(step)
    size = self.shape[axis]
    length = slice_length(size, start, end, step)
    if length is size:
        return alike(self)
    return ArraySpec(replaced(self.shape, axis, length), self.dtype)


def split(self: Shaped, split_size: Size, dim: int = 0) -> list[ArraySpec]:
    """Rule of split.Tensor."""
    axis = wrap_dim(dim, self.ndim)
    size = self.shape[axis]
    check_piece(split_size, size)
    if split_size is size or size == 0:
        return [alike(self)]
    count = piece_count(size, split_size)
    last = size - split_size * (count - 1)
    return _pieces(self, axis, [split_size] * (count - 1) + [last])


def split_with_sizes(
    self: Shaped, split_sizes: Sequence[Size], dim: int = 0
) -> list[ArraySpec]:
    """Rule of split_with_sizes."""
    axis = wrap_dim(dim, self.ndim)
    size = self.shape[axis]
    if any(piece < 0 for piece in split_sizes) or sum(split_sizes) != size:
        raise unfit_pieces(split_sizes, size)
    return _pieces(self, axis, split_sizes)


def as_strided(
    self: Shaped,
    size: Sequence[Size],
    stride: Sequence[Size],
    storage_offset: Any = None,
) -> ArraySpec:
    """Rule of as_strided: how much memory there is to reach over is not known."""
    check_geometry(size, stride, 0 if storage_offset is None else storage_offset)
    return ArraySpec(tuple(size), self.dtype)


def view_as_real(self: Shaped) -> ArraySpec:
    """Rule of view_as_real."""
    check_complex(self)
    return ArraySpec((*self.shape, 2), real_dtype(self.dtype))


def view_as_complex(self: Shaped) -> ArraySpec:
    """Rule of view_as_complex."""
    dtype = complex_dtype(self)
    if not self.ndim or self.shape[-1] != 2:
        raise ArgumentValueError(
            f"the array has shape {self.shape}; the last dimension must be pairs"
        )
    return ArraySpec(self.shape[:-1], dtype)


def _pieces(self: Shaped, axis: int, sizes: Sequence[Size]) -> list[ArraySpec]:
    return [ArraySpec(replaced(self.shape, axis, n), self.dtype) for n in sizes]
