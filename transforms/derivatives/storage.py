"""The gradient of ``as_strided``, which sees storage and not the array."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from .shapes import Shape, reshaped
from .views import counted


def gradient_of_as_strided(
    grad: Any, self: Any, size: Shape, stride: Shape, storage_offset: Any
) -> Any:
    """Add the gradient up in a storage of zeros, and read it where ``self`` lies.

    An element of the storage that is several elements of ``self`` gives each its part.
    """
    strides = [ops.sym_stride(self, dim) for dim in range(self.ndim)]
    offset = ops.sym_storage_offset(self)
    start = offset if storage_offset is None else storage_offset
    end = max(_end(size, stride, start), _end(self.shape, strides, offset))
    places = counted(grad, end)
    storage = ops.new_zeros(grad, [end])
    storage = _added(storage, ops.as_strided(places, size, stride, start), grad)
    if 0 in strides:
        read = ops.as_strided(places, self.shape, strides, offset)
        ones = ops.full_like(ops.new_zeros(grad, self.shape), 1)
        counts = _added(ops.zeros_like(storage), read, ones)
        storage = ops.div(storage, ops.where(ops.eq(counts, 0), 1, counts))
    return ops.as_strided(storage, self.shape, strides, offset)


def _end(size: Shape, stride: Shape, start: Any) -> Any:
    """Return the number of elements of a storage up to the last one of a view."""
    if 0 in size:
        return 0
    steps = zip(size, stride, strict=True)
    return start + 1 + sum((count - 1) * step for count, step in steps)


def _added(storage: Any, places: Any, elements: Any) -> Any:
    flat = reshaped(elements, [-1])
    return ops.scatter_add(storage, 0, reshaped(places, [-1]), flat)
