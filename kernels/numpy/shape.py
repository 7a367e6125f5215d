"""Kernels that join, pad, repeat and turn arrays: their results are new arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ...runtime.errors import ArgumentValueError
from ..composite import shape as composite
from ..shaped import Shaped
from .arrays import FEW, Array, Scalar, check_shape
from .dtypes import as_number
from .promotion import Dtype, check_holds, result_dtype
from .refusals import named_twice

_ALL: Final = slice(None)
_BACKWARDS: Final = slice(None, None, -1)


def cat(tensors: Sequence[Array], dim: int = 0) -> Array:
    """Kernel of cat."""
    dtype = _common_dtype(tensors)
    try:
        if dtype is None:
            # Without an argument for the default, which takes a tenth longer.
            return np.concatenate(tensors, dim) if dim else np.concatenate(tensors)
        return np.concatenate(tensors, dim, dtype=dtype)
    except ValueError:
        if not tensors:
            raise nothing_to_join() from None
        kept = _without_empty_vectors(tensors)
        try:
            return np.concatenate(kept, dim, dtype=result_dtype(*tensors))
        except AxisError:
            raise
        except ValueError as error:
            raise _unfit_shapes(kept, dim, error) from None


def nothing_to_join() -> ArgumentValueError:
    """Return the error of an empty list of arrays."""
    return ArgumentValueError("tensors is empty: nothing to join")


def cat_out(tensors: Sequence[Array], dim: int = 0, *, out: Array) -> Array:
    """Kernel of cat.out."""
    try:
        return np.concatenate(tensors, dim, out=out)
    except (TypeError, ValueError):
        joined = cat(tensors, dim)
        check_shape(out, joined.shape)
        check_holds("out", out, joined.dtype)
        np.copyto(out, joined, "unsafe")
        return out


def stack(tensors: Sequence[Array], dim: int = 0) -> Any:
    """Kernel of stack."""
    if dim == 0 and _are_few_and_alike(tensors):
        return np.array(tensors)
    return composite.stack(tensors, dim)


def constant_pad_nd(self: Array, pad: Sequence[int], value: Scalar = 0) -> Array:
    """Kernel of constant_pad_nd."""
    around = margins(self, pad)
    number = as_number(value, self.dtype, "value")
    padded = np.empty([sum(margin) for margin in around], self.dtype)
    kept: list[slice] = []
    middle: list[slice] = []
    for low, size, high in around:
        before = len(kept) * (slice(None),)
        start, stop = max(low, 0), low + size + min(high, 0)
        padded[(*before, slice(start))] = number
        padded[(*before, slice(stop, None))] = number
        kept.append(slice(max(-low, 0), size - max(-high, 0)))
        middle.append(slice(start, stop))
    padded[tuple(middle)] = self[tuple(kept)]
    return padded


def flip(self: Array, dims: Sequence[int]) -> Array:
    """Kernel of flip."""
    # PyTorch lets an array without dimensions pass as one with dimension 0.
    turned = self if self.ndim else np.reshape(self, 1)
    backwards = [_ALL] * turned.ndim
    try:
        axes = normalize_axis_tuple(dims, turned.ndim)
    except AxisError:
        raise
    except ValueError:
        raise named_twice("dims", dims) from None
    for axis in axes:
        backwards[axis] = _BACKWARDS
    return turned[tuple(backwards)].copy().reshape(self.shape)


def repeat(self: Array, repeats: Sequence[int]) -> Array:
    """Kernel of repeat."""
    check_repeats(self, repeats)
    added = len(repeats) - self.ndim
    sizes = (1,) * added + self.shape
    pairs = list(zip(repeats, sizes, strict=True))
    repeated = np.empty([count * size for count, size in pairs], self.dtype)
    # Each dimension as two, so that assigning the array repeats it in the first ones.
    copies = repeated.reshape([n for pair in pairs for n in pair], copy=False)
    copies[...] = self.reshape([n for size in sizes for n in (1, size)])
    return repeated


def check_repeats(self: Shaped, repeats: Sequence[int]) -> None:
    """Raise ArgumentValueError unless each dimension has a number of repeats."""
    if len(repeats) < self.ndim or any(count < 0 for count in repeats):
        raise ArgumentValueError(
            f"repeats is {repeats!r}; an array with {self.ndim} dimensions needs a"
            " number from 0 up for each of them"
        )


def _common_dtype(tensors: Sequence[Array]) -> Dtype | None:
    """Return the dtype that arrays are joined in; None where all have it already."""
    first = tensors[0].dtype if tensors else None
    for tensor in tensors:
        if tensor.dtype is not first:
            return result_dtype(*tensors)
    return None


def _are_few_and_alike(tensors: Sequence[Array]) -> bool:
    """Whether all are small arrays of one dtype and one shape.

    ``np.array`` puts such together in half the time of ``np.concatenate``.
    """
    if not tensors:
        return False
    dtype, shape = tensors[0].dtype, tensors[0].shape
    for tensor in tensors:
        if tensor.dtype is not dtype or tensor.shape != shape:
            return False
    return tensors[0].size <= FEW


def margins(self: Shaped, pad: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return for each dimension what comes before it, its size, and what comes after.

    Negative numbers crop. ``pad`` has them in pairs, from the last dimension backwards.
    """
    if len(pad) % 2 or len(pad) > 2 * self.ndim:
        raise ArgumentValueError(
            f"pad is {pad!r}; it needs two numbers for each dimension to pad, and the"
            f" array has {self.ndim}"
        )
    unpadded = [0] * (self.ndim - len(pad) // 2)
    before, after = unpadded + list(pad[-2::-2]), unpadded + list(pad[-1::-2])
    found = list(zip(before, self.shape, after, strict=True))
    for low, size, high in found:
        if min(low, 0) + size + min(high, 0) < 0:
            raise ArgumentValueError(
                f"pad is {pad!r}, which crops more than a dimension of size {size} has"
            )
    return found


def _without_empty_vectors(tensors: Sequence[Array]) -> Sequence[Array]:
    """Leave out arrays of shape (0,), which PyTorch joins with any others.

    Where that leaves nothing, all are kept.
    """
    return [tensor for tensor in tensors if np.shape(tensor) != (0,)] or tensors


def _unfit_shapes(tensors: Sequence[Array], dim: int, error: ValueError) -> ValueError:
    """Return the error of arrays of which one does not fit to the first.

    That is the one given where all do: something else is wrong then.
    """
    shapes = [np.shape(tensor) for tensor in tensors]
    if () in shapes:
        return ArgumentValueError("tensors has an array without dimensions to join at")
    for shape in shapes:
        axis = normalize_axis_index(dim, len(shapes[0]))
        if _around(shape, axis) != _around(shapes[0], axis):
            return ArgumentValueError(
                f"tensors has arrays of shapes {shapes[0]} and {shape}; they may differ"
                f" only in dimension {axis}, at which they are joined"
            )
    return error


def _around(shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], ...]:
    """Return the sizes before an axis and those behind it."""
    return shape[:axis], shape[axis + 1 :]
