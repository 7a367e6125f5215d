"""Rules of ``index`` and ``index_put``, which take an array of indices a dimension.

With a dimension in between that has no indices, the operators put the dimensions of
the indices first, and otherwise where the indexed ones were. That no longer holds with
the batch before. So here the indexed dimensions always come first, after the batch,
and the result is put in order afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import generated as ops
from ...runtime.errors import BatchedDataError
from ...runtime.writing import kind_of
from .call import BatchedCall
from .forms import in_all_forms
from .physical import logical_ndim, moved, with_batch, with_ndim


class _Indices(NamedTuple):
    """The arrays of indices of a call, of integers all."""

    #: The arrays.
    arrays: list[Any]
    #: Which of them are batched.
    batched: list[bool]
    #: For each, the logical dimension of ``self`` that it is for.
    dims: list[int]

    @property
    def ndim(self) -> int:
        """How many logical dimensions they have together."""
        pairs = zip(self.arrays, self.batched, strict=True)
        return max(logical_ndim(array, batched) for array, batched in pairs)

    @property
    def before(self) -> int:
        """How many logical dimensions come before those of the indices."""
        first, last = self.dims[0], self.dims[-1]
        return first if last - first + 1 == len(self.dims) else 0


@in_all_forms
def index(call: BatchedCall) -> Any:
    """Batching rule of ``index``; a mask has to be the same for all items."""
    indices = _indices(call)
    if indices is None:
        return call.run(indices=[None, *call.values["indices"]])
    self, has_batch = call.values["self"], "self" in call.batched
    ndim = logical_ndim(self, has_batch)
    self = moved(self, _indexed_first(indices, ndim, has_batch))
    picked = ops.index(self, _for_items(call, indices, has_batch))
    return moved(picked, _in_order(indices, picked.ndim))


@in_all_forms
def index_put(call: BatchedCall) -> Any:
    """Batching rule of ``index_put``; a mask has to be the same for all items."""
    values = call.values
    self = with_batch(call, "self")
    indices = _indices(call)
    if indices is None:
        return call.run(self=self, indices=[None, *values["indices"]])
    order = _indexed_first(indices, self.ndim - 1, True)
    given = _values_for(call, indices, self.ndim - 1)
    places = _for_items(call, indices, True, always=True)
    put = ops.index_put(moved(self, order), places, given, values["accumulate"])
    return moved(put, [order.index(dim) for dim in range(len(order))])


def _indices(call: BatchedCall) -> _Indices | None:
    """Return the arrays of indices; None where there are none."""
    given: Sequence[Any] = call.values["indices"]
    has_batch = call.item_batched.get("indices", (False,) * len(given))
    found, dim = _Indices([], [], []), 0
    for array, batched in zip(given, has_batch, strict=True):
        parts = [array] if array is None else _columns(call, array, batched)
        for part in parts:
            if part is not None:
                found.arrays.append(part)
                found.batched.append(batched)
                found.dims.append(dim)
            dim += 1
    return found if found.arrays else None


def _columns(call: BatchedCall, array: Any, batched: bool) -> list[Any]:
    """Return the indices that an array stands for: a mask for one a dimension."""
    if kind_of(array) != "b" and str(array.dtype) != "uint8":
        return [array]
    if batched:
        raise BatchedDataError(call.op.name, ("indices",))
    places = ops.nonzero(array)
    return [ops.select(places, 1, dim) for dim in range(array.ndim)]


def _indexed_first(indices: _Indices, ndim: int, has_batch: bool) -> list[int]:
    """Return the order of the dimensions of ``self`` with indexed ones first."""
    others = [dim for dim in range(ndim) if dim not in indices.dims]
    order = [*indices.dims, *others]
    return [0, *[dim + 1 for dim in order]] if has_batch else order


def _for_items(
    call: BatchedCall, indices: _Indices, self_batched: bool, always: bool = False
) -> list[Any]:
    """Return the indices into ``self``, whose indexed dimensions are the first.

    Indices that are the same for all items leave the batch alone, unless ``always``;
    others pick in item 0 for item 0, and so on.
    """
    ndim = indices.ndim
    pairs = zip(indices.arrays, indices.batched, strict=True)
    arrays = [with_ndim(array, batched, ndim) for array, batched in pairs]
    if not self_batched:
        return arrays
    if not always and not any(indices.batched):
        return [None, *arrays]
    items = ops.arange(call.size)
    return [ops.view(items, [call.size, *[1] * ndim]), *arrays]


def _in_order(indices: _Indices, ndim: int) -> list[int]:
    """Return the order in which dimensions before the indices are before them again.

    The array of ``ndim`` has those of the batch and of the indices first.
    """
    start, before = 1 + indices.ndim, indices.before
    moved_up = [*range(start, start + before)]
    return [0, *moved_up, *range(1, start), *range(start + before, ndim)]


def _values_for(call: BatchedCall, indices: _Indices, ndim: int) -> Any:
    """Return the values, the dimensions of the indices first, after the batch."""
    has_batch = "values" in call.batched
    picked = indices.ndim + ndim - len(indices.dims)
    values = with_ndim(call.values["values"], has_batch, picked)
    values = values if has_batch else ops.unsqueeze(values, 0)
    order = _in_order(indices, values.ndim)
    return moved(values, [order.index(dim) for dim in range(len(order))])
