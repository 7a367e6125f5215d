"""The gradient of ``as_strided``, which sees storage and not the array."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import generated as ops
from .shapes import Shape


def gradient_of_as_strided(
    grad: Any, self: Any, size: Shape, stride: Shape, storage_offset: Any
) -> Any:
    """Add the gradient up in a storage of zeros, and read it where ``self`` lies.

    An element of the storage that is several elements of ``self`` gives each its part.
    """
    part, own = _part(self, size, stride, storage_offset), _own(self)
    places = counted(grad, max(part.end, own.end))
    storage = ops.new_zeros(grad, places.shape)
    storage = _added(storage, part.of(places), grad)
    if 0 in own.stride:
        ones = ops.full_like(ops.new_zeros(grad, self.shape), 1)
        counts = _added(ops.zeros_like(storage), own.of(places), ones)
        storage = ops.div(storage, ops.where(ops.eq(counts, 0), 1, counts))
    return own.of(storage)


def tangent_of_as_strided(
    self_t: Any, self: Any, size: Shape, stride: Shape, storage_offset: Any
) -> Any:
    """Write the tangent to a storage of zeros where ``self`` lies, and read a part."""
    part, own = _part(self, size, stride, storage_offset), _own(self)
    places = counted(self_t, max(part.end, own.end))
    storage = ops.new_zeros(self_t, places.shape)
    order = ops.reshape(own.of(places), [-1])
    return part.of(ops.scatter(storage, 0, order, ops.reshape(self_t, [-1])))


class _Part(NamedTuple):
    """A part of a storage."""

    size: Shape
    stride: Shape
    start: Any

    @property
    def end(self) -> Any:
        """The number of elements of the storage up to the last one of the part."""
        if 0 in self.size:
            return 0
        steps = zip(self.size, self.stride, strict=True)
        return self.start + 1 + sum((count - 1) * step for count, step in steps)

    def of(self, storage: Any) -> Any:
        """Return the view of this part of a storage."""
        return ops.as_strided(storage, self.size, self.stride, self.start)


def _own(self: Any) -> _Part:
    """Return the part that an array is itself."""
    strides = [ops.sym_stride(self, dim) for dim in range(self.ndim)]
    return _Part(self.shape, strides, ops.sym_storage_offset(self))


def _part(self: Any, size: Shape, stride: Shape, storage_offset: Any) -> _Part:
    """Return the part that is seen; without an offset it starts where ``self`` does."""
    if storage_offset is None:
        storage_offset = ops.sym_storage_offset(self)
    return _Part(size, stride, storage_offset)


def _added(storage: Any, places: Any, elements: Any) -> Any:
    flat = ops.reshape(elements, [-1])
    return ops.scatter_add(storage, 0, ops.reshape(places, [-1]), flat)


def counted(like: Any, size: Any) -> Any:
    """Return 0, 1, 2, ... as an array of the library that ``like`` is of."""
    ones = ops.full_like(ops.new_zeros(like, [size], dtype="int64"), 1)
    return ops.sub(ops.cumsum(ones, 0), 1)
