"""Rules of what joins, pads, repeats and turns arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...runtime.errors import ArgumentValueError
from ..numpy.dtypes import check_number
from ..numpy.promotion import result_dtype
from ..numpy.shape import check_repeats, margins, nothing_to_join
from ..shaped import Shaped
from .sizes import Shape, Size, are_equal, replaced, wrap_dim, wrap_dims
from .spec import ArraySpec, alike
from .view import unsqueeze

# One object each in CPython, so a test of identity is no question to a symbolic size.
_ZERO: Final = 0
_ONE: Final = 1


def cat(tensors: Sequence[Shaped], dim: int = 0) -> ArraySpec:
    """Rule of cat."""
    if not tensors:
        raise nothing_to_join()
    # Arrays of shape (0,) are joined with any others.
    shapes = [each.shape for each in tensors if not _is_empty_vector(each.shape)]
    shape = _joined(shapes or [tensors[0].shape], dim)
    return ArraySpec(shape, result_dtype(*tensors))


def stack(tensors: Sequence[Shaped], dim: int = 0) -> ArraySpec:
    """Rule of stack."""
    return cat([unsqueeze(tensor, dim) for tensor in tensors], dim)


def constant_pad_nd(self: Shaped, pad: Sequence[Size], value: Any = 0) -> ArraySpec:
    """Rule of constant_pad_nd."""
    padded = [_padded(*margin) for margin in margins(self, pad)]
    check_number(value, self.dtype, "value")
    return ArraySpec(tuple(padded), self.dtype)


def flip(self: Shaped, dims: Sequence[int]) -> ArraySpec:
    """Rule of flip."""
    wrap_dims(dims, self.ndim or 1, "dims")
    return alike(self)


def repeat(self: Shaped, repeats: Sequence[Size]) -> ArraySpec:
    """Rule of repeat."""
    check_repeats(self, repeats)
    sizes = (1,) * (len(repeats) - self.ndim) + self.shape
    repeated = [
        size if count is _ONE else count * size
        for count, size in zip(repeats, sizes, strict=True)
    ]
    return ArraySpec(tuple(repeated), self.dtype)


def _joined(shapes: Sequence[Shape], dim: int) -> Shape:
    first = shapes[0]
    if not first:
        raise ArgumentValueError("tensors has an array without dimensions to join at")
    axis = wrap_dim(dim, len(first))
    around = replaced(first, axis)
    total = first[axis]
    for shape in shapes[1:]:
        if len(shape) != len(first) or not are_equal(replaced(shape, axis), around):
            raise ArgumentValueError(
                f"tensors has arrays of shapes {first} and {shape}; they may differ"
                f" only in dimension {axis}, at which they are joined"
            )
        total = total + shape[axis]
    return replaced(first, axis, total)


def _is_empty_vector(shape: Shape) -> bool:
    return len(shape) == 1 and shape[0] == 0


def _padded(low: Size, size: Size, high: Size) -> Size:
    margin = low + high
    return size if margin is _ZERO else size + margin
