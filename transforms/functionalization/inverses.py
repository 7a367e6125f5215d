"""Views the other way round: an array with other elements where a view of it is.

An inverse takes the array, the new elements of the view and the arguments of the view
operator, and returns the array that results. Where an operator has none here, places
are looked up: the view of the numbers 0, 1, 2, ... tells which element of the array
each element of the view is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import ArgumentValueError
from ..derivatives.shapes import (
    contiguous,
    inverse_permutation,
    unsqueezed,
    wrapped,
)
from ..derivatives.storage import counted

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Inverse = Callable[..., Any]


def find_inverse(op: OpOverload) -> Inverse | None:
    """Return the inverse of a view operator, if it has one of its own."""
    return _INVERSES.get(op.name)


def by_places(source: Any, value: Any, replay: Callable[[Any], Any]) -> Any:
    """Do what an inverse does, for any view whose elements are those of the array.

    ``replay`` makes the view.
    """
    numbers = ops.view(counted(source, prod(source.shape)), source.shape)
    places = ops.reshape(replay(numbers), [-1])
    flat = ops.reshape(source, [-1])
    return ops.view(
        ops.scatter(flat, 0, places, ops.reshape(value, [-1])), source.shape
    )


def viewed(array: Any, shape: Any) -> Any:
    """Return the elements in another shape, copied only where they lie otherwise."""
    try:
        return ops.view(array, shape)
    except ArgumentValueError:
        return ops.reshape(array, shape)


def _alias(source: Any, value: Any) -> Any:
    return value


def _diagonal(source: Any, value: Any, offset: int, dim1: int, dim2: int) -> Any:
    return contiguous(ops.diagonal_scatter(source, value, offset, dim1, dim2))


def _select(source: Any, value: Any, dim: int, index: Any) -> Any:
    return ops.select_scatter(source, value, dim, index)


def _slice(source: Any, value: Any, dim: int, start: Any, end: Any, step: Any) -> Any:
    return ops.slice_scatter(source, value, dim, start, end, step)


def _split(source: Any, value: Any, split_size: Any, dim: int, *, piece: int) -> Any:
    start = split_size * piece
    return ops.slice_scatter(source, value, dim, start, start + value.shape[dim])


def _split_with_sizes(
    source: Any, value: Any, split_sizes: Sequence[Any], dim: int, *, piece: int
) -> Any:
    start = sum(split_sizes[:piece])
    return ops.slice_scatter(source, value, dim, start, start + split_sizes[piece])


# What is put back in another order of dimensions is laid out anew, so that views of the
# array that need its elements in order can still be made.


def _permute(source: Any, value: Any, dims: Sequence[int]) -> Any:
    return contiguous(ops.permute(value, inverse_permutation(dims)))


def _transpose(source: Any, value: Any, dim0: int, dim1: int) -> Any:
    return contiguous(ops.transpose(value, dim0, dim1))


def _unsqueeze(source: Any, value: Any, dim: int) -> Any:
    return ops.squeeze(value, wrapped(dim, value.ndim))


def _squeeze(source: Any, value: Any, dims: int | Sequence[int]) -> Any:
    squeezed = [dims] if isinstance(dims, int) else dims
    return unsqueezed(value, source.shape, squeezed)


def _view(source: Any, value: Any, size: Any) -> Any:
    return viewed(value, source.shape)


def _expand(source: Any, value: Any, size: Any, *, implicit: bool) -> Any:
    added = value.ndim - len(source.shape)
    repeats = (*([1] * added), *source.shape) != tuple(value.shape)
    if repeats:
        raise ArgumentValueError(
            f"an array of shape {tuple(source.shape)} that was expanded to"
            f" {tuple(value.shape)} cannot be written to, for one element of it stands"
            " for several: clone it first"
        )
    return viewed(value, source.shape)


def _view_as_real(source: Any, value: Any) -> Any:
    return ops.view_as_complex(contiguous(value))


def _view_as_complex(source: Any, value: Any) -> Any:
    return ops.view_as_real(value)


#: By the name of the overload.
_INVERSES: Final[Mapping[str, Inverse]] = {
    "keyslot::alias": _alias,
    "keyslot::diagonal": _diagonal,
    "keyslot::expand": _expand,
    "keyslot::permute": _permute,
    "keyslot::select.int": _select,
    "keyslot::slice.Tensor": _slice,
    "keyslot::split.Tensor": _split,
    "keyslot::split_with_sizes": _split_with_sizes,
    "keyslot::squeeze.dim": _squeeze,
    "keyslot::squeeze.dims": _squeeze,
    "keyslot::transpose.int": _transpose,
    "keyslot::unsqueeze": _unsqueeze,
    "keyslot::view": _view,
    "keyslot::view_as_complex": _view_as_complex,
    "keyslot::view_as_real": _view_as_real,
}
