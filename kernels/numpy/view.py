"""Kernels that return views: their results share the memory of the argument."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index

from ...runtime.errors import ArgumentValueError, DtypeError
from ..shaped import Shaped
from .arrays import Array, broadcast
from .promotion import real_dtype
from .refusals import named_twice

_WHOLE: Final = slice(None)
_COMPLEX: Final = {"float32": "complex64", "float64": "complex128"}


def alias(self: Array) -> Array:
    """Kernel of alias."""
    return self[...]


def transpose(self: Array, dim0: int, dim1: int) -> Array:
    """Kernel of transpose.int."""
    try:
        return self.swapaxes(dim0, dim1)
    except AxisError:
        # PyTorch lets an array without dimensions pass as one with dimension 0.
        if self.ndim == 0 and {dim0, dim1} <= {0, -1}:
            return self[...]
        raise


def permute(self: Array, dims: Sequence[int]) -> Array:
    """Kernel of permute."""
    check_named(self, dims)
    try:
        return self[...].transpose(dims)
    except AxisError:
        raise
    except ValueError:
        raise named_twice("dims", dims) from None


def check_named(self: Shaped, dims: Sequence[int]) -> None:
    """Raise ArgumentValueError unless as many dimensions are named as there are."""
    if len(dims) != self.ndim:
        raise ArgumentValueError(
            f"dims names {len(dims)} dimensions, the array has {self.ndim}"
        )


def view(self: Array, size: Sequence[int]) -> Array:
    """Kernel of view."""
    # NumPy takes any negative number for -1.
    if size and min(size) < -1:
        raise ArgumentValueError(
            f"size is {list(size)}; a negative number can only be -1, for what is left"
        )
    try:
        return self.reshape(size, copy=False)
    except ValueError as error:
        if "copy" in str(error):
            raise ArgumentValueError(
                f"no view of this array with shape {self.shape} has size {size!r}, for"
                " its elements lie in another order; clone it first, with"
                " memory_format='contiguous_format'"
            ) from None
        raise


def unsqueeze(self: Array, dim: int) -> Array:
    """Kernel of unsqueeze."""
    return self[(_WHOLE,) * normalize_axis_index(dim, self.ndim + 1) + (None,)]


def squeeze_dim(self: Array, dim: int) -> Array:
    """Kernel of squeeze.dim."""
    try:
        single = self.shape[dim] == 1
    except IndexError:
        # PyTorch lets an array without dimensions pass as one with dimension 0.
        normalize_axis_index(dim, self.ndim or 1)
        single = False
    return self.squeeze(dim) if single else self[...]


def squeeze_dims(self: Array, dim: Sequence[int]) -> Array:
    """Kernel of squeeze.dims."""
    axes = {normalize_axis_index(number, self.ndim or 1) for number in dim}
    if len(axes) != len(dim):
        raise named_twice("dim", dim)
    kept = [n for axis, n in enumerate(self.shape) if n != 1 or axis not in axes]
    return self.reshape(kept, copy=False)


def expand(self: Array, size: Sequence[int], *, implicit: bool = False) -> Array:
    """Kernel of expand."""
    added = len(size) - self.ndim
    shape = expanded(self, size)
    if shape == (1,) * added + self.shape:
        return self[(None,) * added + (...,)]
    # Read-only: one element of the memory stands for several of the view.
    return broadcast(self, shape, "self")


def expanded(self: Shaped, size: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes to expand an array to, with its own where -1 is given."""
    added = len(size) - self.ndim
    if added < 0 or -1 in size[:added]:
        raise ArgumentValueError(
            f"size is {size!r}; an array with {self.ndim} dimensions needs a size for"
            " each of them, and -1 keeps only what is there"
        )
    shape = tuple(size)
    if -1 in shape:
        kept = zip(shape[added:], self.shape, strict=True)
        shape = (*shape[:added], *[old if new == -1 else new for new, old in kept])
    return shape


def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """Kernel of diagonal."""
    # First of all, as NumPy has one message for every array with too few dimensions.
    axes = [normalize_axis_index(dim, self.ndim or 1) for dim in (dim1, dim2)]
    diagonal = self.diagonal(offset, *axes)
    # NumPy's is read-only, for reasons of its history alone.
    diagonal.setflags(write=self.flags.writeable)
    return diagonal


def select(self: Array, dim: int, index: int) -> Array:
    """Kernel of select.int."""
    # With the dots the result is an array even where no dimension is left.
    return self[(_WHOLE,) * normalize_axis_index(dim, self.ndim) + (index, ...)]


def slice_dim(
    self: Array,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Array:
    """Kernel of slice.Tensor."""
    axis = normalize_axis_index(dim, self.ndim)
    check_step(step)
    return self[(_WHOLE,) * axis + (slice(start, end, step),)]


def check_step(step: int) -> None:
    """Raise ArgumentValueError for a step that no slice has."""
    if step < 1:
        raise ArgumentValueError(f"step is {step}; a slice needs a step of 1 or more")


def split(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    """Kernel of split.Tensor."""
    axis = normalize_axis_index(dim, self.ndim)
    size = self.shape[axis]
    check_piece(split_size, size)
    before = (_WHOLE,) * axis
    # A dimension of size 0 is one piece.
    starts = range(0, max(size, 1), max(split_size, 1))
    return [self[(*before, slice(start, start + split_size))] for start in starts]


def check_piece(split_size: int, size: int) -> None:
    """Raise ArgumentValueError for pieces that a dimension is not cut into."""
    if split_size < 0 or (split_size == 0 and size != 0):
        raise ArgumentValueError(
            f"split_size is {split_size}; a dimension of size {size} is not cut by that"
        )


def split_with_sizes(
    self: Array, split_sizes: Sequence[int], dim: int = 0
) -> list[Array]:
    """Kernel of split_with_sizes."""
    axis = normalize_axis_index(dim, self.ndim)
    size = self.shape[axis]
    if sum(split_sizes) != size or min(split_sizes, default=0) < 0:
        raise unfit_pieces(split_sizes, size)
    before = (_WHOLE,) * axis
    ends = accumulate(split_sizes)
    return [
        self[(*before, slice(end - length, end))]
        for length, end in zip(split_sizes, ends, strict=True)
    ]


def unfit_pieces(split_sizes: Sequence[int], size: int) -> ArgumentValueError:
    """Return the error of sizes of pieces that a dimension is not cut into."""
    return ArgumentValueError(
        f"split_sizes is {split_sizes!r}; a dimension of size {size} is cut by"
        " sizes from 0 up whose sum it is"
    )


# --- complex numbers as pairs ---------------------------------------------------------


def view_as_real(self: Array) -> Array:
    """Kernel of view_as_real."""
    array = np.asarray(self)
    check_complex(array)
    return array[..., None].view(real_dtype(array.dtype))


def view_as_complex(self: Array) -> Array:
    """Kernel of view_as_complex."""
    wanted = complex_dtype(self)
    apart = self.size != 0 and self.strides[-1] != self.itemsize
    if apart or self.shape[-1:] != (2,):
        raise ArgumentValueError(
            f"the array has shape {self.shape} and strides {self.strides}; the last"
            " dimension must be pairs of numbers side by side"
        )
    return self.view(wanted)[..., 0]


def check_complex(self: Shaped) -> None:
    """Raise DtypeError unless an array is complex, and has parts to view."""
    if self.dtype.kind != "c":
        raise DtypeError(f"view_as_real takes complex arrays, not {self.dtype}")


def complex_dtype(self: Shaped) -> np.dtype[Any]:
    """Return the dtype of pairs of an array's numbers.

    Raises DtypeError for numbers that are no parts of complex ones.
    """
    wanted = _COMPLEX.get(self.dtype.name)
    if wanted is None:
        raise DtypeError(f"view_as_complex takes float32 and float64, not {self.dtype}")
    return np.dtype(wanted)
