"""Rules of operators that join a list of arrays."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ..arrays import converted
from .call import BatchedCall
from .forms import in_all_forms
from .physical import batched_array, shifted


@in_all_forms
def cat(call: BatchedCall) -> Any:
    """Batching rule of ``cat``.

    Of arrays with several dimensions it leaves out vectors without elements, which
    with the batch would be matrices: so they are given a shape that fits here.
    """
    arrays = _batched_items(call)
    if not arrays:
        return call.run()
    largest = max(arrays, key=lambda array: array.ndim)
    dim = shifted(call.values["dim"], largest.ndim - 1)
    fitting = [
        (
            _empty_part(largest, dim, array.dtype)
            if _is_left_out(array, largest)
            else array
        )
        for array in arrays
    ]
    return call.run(tensors=fitting, dim=dim)


@in_all_forms
def stack(call: BatchedCall) -> Any:
    """Batching rule of ``stack``, which puts in the dimension it joins along."""
    arrays = _batched_items(call)
    return call.run(tensors=arrays, dim=shifted(call.values["dim"], arrays[0].ndim))


def _batched_items(call: BatchedCall) -> list[Any]:
    arrays = call.values["tensors"]
    batched = call.item_batched["tensors"]
    pairs = zip(arrays, batched, strict=True)
    return [batched_array(call, array, has_batch) for array, has_batch in pairs]


def _is_left_out(array: Any, largest: Any) -> bool:
    return largest.ndim > 2 and array.ndim == 2 and bool(array.shape[1] == 0)


def _empty_part(array: Any, dim: int, dtype: Any) -> Any:
    """Return no elements, in a shape that joins to an array. The dtype counts."""
    return converted(ops.slice(array, dim, 0, 0), dtype)
