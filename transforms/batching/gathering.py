"""Rules of operators that read and write along one dimension, where an index says.

All arrays are given the batch. An array without dimensions passes as one with one
element, so it is given a dimension, which is taken out of the result again.
"""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentIndexError
from .call import BatchedCall
from .forms import in_all_forms
from .physical import shifted, with_batch


@in_all_forms
def gather(call: BatchedCall) -> Any:
    """Batching rule of ``gather``: the result has the shape of ``index``."""
    return _along(call, ("self", "index"), result_like="index")


@in_all_forms
def scatter(call: BatchedCall) -> Any:
    """Batching rule of the scatter operators: the result has the shape of ``self``."""
    names = ("self", "index", "src") if "src" in call.names else ("self", "index")
    return _along(call, names, result_like="self")


@in_all_forms
def index_select(call: BatchedCall) -> Any:
    """Batching rule of ``index_select``; with an index for each item, a gather."""
    values = call.values
    if "index" not in call.batched:
        return _along(call, ("self",), result_like="self")
    self = _vectors(with_batch(call, "self"))
    index = _vectors(values["index"])
    ndim = self.ndim - 1
    dim = shifted(values["dim"], ndim)
    if dim > ndim:
        raise ArgumentIndexError(f"dim is {dim - 1}, for arrays with {ndim} dimensions")
    shape, length = [*self.shape], index.shape[1]
    shape[dim] = length
    ones = [1] * (dim - 1), [1] * (ndim - dim)
    places = ops.view(index, [call.size, *ones[0], length, *ones[1]])
    picked = ops.gather(self, dim, ops.expand(places, shape))
    return picked if ndim == _ndim(call, "self") else ops.squeeze.dim(picked, 1)


def _along(call: BatchedCall, names: tuple[str, ...], result_like: str) -> Any:
    """Call an operator on arrays of which all that are named have the batch."""
    values = call.values
    arrays = {name: _vectors(with_batch(call, name)) for name in names}
    dim = shifted(values["dim"], max(_ndim(call, "self"), 1))
    result = call.run(**arrays, dim=dim)
    return result if _ndim(call, result_like) else ops.squeeze.dim(result, 1)


def _vectors(array: Any) -> Any:
    """Return a physical array with at least one logical dimension."""
    return array if array.ndim > 1 else ops.unsqueeze(array, 1)


def _ndim(call: BatchedCall, name: str) -> int:
    ndim: int = call.values[name].ndim - (name in call.batched)
    return ndim
