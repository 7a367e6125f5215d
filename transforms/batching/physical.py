"""Physical arrays: where their logical dimensions are, and how to line them up."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentIndexError
from .call import BatchedCall


def shifted(dim: int, ndim: int, name: str = "dim") -> int:
    """Return the physical dimension that ``dim`` of ``ndim`` logical ones is.

    A ``dim`` that is too large is left to the operator, which refuses it. Raises
    ArgumentIndexError for one that is too small: it might name the batch.
    """
    if dim >= 0:
        return dim + 1
    if dim < -ndim:
        raise ArgumentIndexError(
            f"{name} is {dim}, which is no dimension of an array with {ndim}"
        )
    return dim + ndim + 1


def logical_ndim(array: Any, batched: bool) -> int:
    """Return how many dimensions the logical arrays have."""
    ndim: int = array.ndim
    return ndim - 1 if batched else ndim


def batched_array(call: BatchedCall, array: Any, batched: bool) -> Any:
    """Return an array with the batch: the same for each item where it had none."""
    return array if batched else ops.expand(array, [call.size, *array.shape])


def with_batch(call: BatchedCall, name: str) -> Any:
    """Return an argument that is an array, with the batch."""
    return batched_array(call, call.values[name], name in call.batched)


def with_ndim(array: Any, batched: bool, ndim: int) -> Any:
    """Return a view with at least ``ndim`` logical dimensions, new ones first."""
    for _ in range(ndim - logical_ndim(array, batched)):
        array = ops.unsqueeze(array, 1 if batched else 0)
    return array


def flat_items(array: Any) -> Any:
    """Return a physical array with all logical dimensions made one."""
    return ops.reshape(array, [array.shape[0], prod(array.shape[1:])])


def moved(array: Any, order: Sequence[int]) -> Any:
    """Return a view with the dimensions in another order; the array if they are."""
    return array if [*order] == [*range(len(order))] else ops.permute(array, order)
