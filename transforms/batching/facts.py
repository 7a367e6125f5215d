"""Rules of operators that tell about an array, and of those that need its elements."""

from __future__ import annotations

from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import BatchedDataError
from .call import BatchedCall, Unbatched
from .physical import shifted


def fact(call: BatchedCall) -> Any:
    """Batching rule of operators that tell a size or the like, the same for each item.

    The parameters name the arguments that are dimensions of ``self``.
    """
    ndim = call.values["self"].ndim - 1
    changed = {name: shifted(call.values[name], ndim) for name in call.parameters}
    return Unbatched(call.run(**changed))


def element_count(call: BatchedCall) -> Any:
    """Batching rule of ``sym_numel``."""
    return Unbatched(prod(call.values["self"].shape[1:]))


def contiguity(call: BatchedCall) -> Any:
    """Batching rule of ``sym_is_contiguous``: whether each item lies in order."""
    one = ops.slice(call.values["self"], 0, 0, 1)
    return Unbatched(call.run(self=one))


def refused(call: BatchedCall) -> Any:
    """Batching rule of operators whose result depends on the elements of each item.

    Raises BatchedDataError: the items would have results of different sizes, or
    several numbers would have to be one.
    """
    names = tuple([name for name in call.names if name in call.batched])
    raise BatchedDataError(call.op.name, names)
