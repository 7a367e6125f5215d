"""What arrays of all backends, and Tensors over them, have in common."""

from __future__ import annotations

from typing import Any

from .. import generated as ops
from ..generated.keys import DISPATCHER


def is_array(value: object) -> bool:
    """Whether this is an array of some backend, or a Tensor."""
    return DISPATCHER.arrays.lookup(type(value)) is not None


def converted(array: Any, dtype: Any) -> Any:
    """Return an array in another dtype; the array itself if it has it."""
    if array.dtype == dtype:
        return array
    convert = ops._to_copy  # pyright: ignore[reportPrivateUsage] # an operator's name
    return convert(array, dtype=dtype)
