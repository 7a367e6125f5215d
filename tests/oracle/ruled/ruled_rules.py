"""Rules of operators: shapes, and a batch. They know nothing of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from keyslot import ops
from keyslot.kernels.shapes import ArraySpec
from keyslot.kernels.shapes import sizes as of
from keyslot.transforms.batching import BatchedCall


def like(self: Any, *others: Any, **options: Any) -> Any:
    """Tell that the result is like the first array."""
    del others, options
    return ArraySpec(self.shape, self.dtype)


def broadcast(self: Any, other: Any, **options: Any) -> Any:
    """Tell that the result has the shape and the dtype of both arrays together."""
    del options
    shape = of.broadcast(self.shape, other.shape)
    return ArraySpec(shape, np.result_type(self.dtype, other.dtype))


def two_numbers(self: Any) -> Any:
    """Tell that there are two results without dimensions."""
    return ArraySpec((), self.dtype), ArraySpec((), self.dtype)


def two_alike(self: Any) -> Any:
    """Tell that there are two results like the array."""
    return like(self), like(self)


def joined(parts: Any) -> Any:
    """Tell the sum of the lengths."""
    size = sum(part.shape[0] for part in parts)
    return ArraySpec((size, *parts[0].shape[1:]), parts[0].dtype)


def two_halves(self: Any) -> Any:
    """Tell what both halves are."""
    size, *rest = self.shape
    sizes = (size // 2, size - size // 2)
    return [ArraySpec((each, *rest), self.dtype) for each in sizes]


def truth(self: Any, bound: Any) -> Any:
    """Tell that the result is a mask."""
    del bound
    return ArraySpec(self.shape, np.dtype(bool))


def casted(self: Any, *, dtype: Any) -> Any:
    """Tell the dtype that is asked for."""
    return ArraySpec(self.shape, np.dtype(dtype))


def ramp(size: Any, *, dtype: Any) -> Any:
    """Tell the shape of an array that is made of none."""
    return ArraySpec((size,), np.dtype(dtype or "float32"))


def windows(self: Any, width: Any) -> Any:
    """Tell one length for all windows."""
    return ArraySpec((self.shape[0] - width + 1,), self.dtype)


def none(*args: Any, **kwargs: Any) -> Any:
    """Raise AssertionError: the entry says something else for PyTorch."""
    raise AssertionError("the entry says something else for PyTorch")


def batched_join(call: BatchedCall) -> Any:
    """Join batches as a whole: lengths come after the batch."""
    (parts,) = call.args
    pairs = zip(parts, call.item_batched["parts"], strict=True)
    batches = [
        part if batched else ops.expand(part, [call.size, *part.shape])
        for part, batched in pairs
    ]
    return ops.cat(batches, 1)
