"""The call of an operator for each item, where there is no batching rule."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError, BatchedDataError
from .call import BatchedCall, Unbatched, written_names
from .forms import check_written


def loop(call: BatchedCall) -> Any:
    """Call an operator once for each item and stack the results.

    Takes as long as that many calls. What is written to arrays that are batched is
    written to their items. Raises ArgumentValueError for a batch of no items, of whose
    results the shapes cannot be told, and UnbatchedWriteError.
    """
    check_written(call)
    count = int(call.size)
    if not count:
        raise ArgumentValueError(
            f"{call.op.name} has no batching rule and the batch has no items: what"
            " shape their results would have is not known"
        )
    made = [call.run(**_item(call, place)) for place in range(count)]
    values, written = call.values, written_names(call.op)
    if written and len(written) == len(call.op.schema.returns):
        places = [values[name] for name in written]
        return places[0] if len(places) == 1 else tuple(places)
    return _stacked(call, made)


def _item(call: BatchedCall, place: int) -> dict[str, Any]:
    """Return the batched arguments as they are for one item."""
    values = call.values
    return {
        name: (
            _of_list(values[name], call.item_batched[name], place)
            if isinstance(values[name], (list, tuple))
            else ops.select(values[name], 0, place)
        )
        for name in call.batched
    }


def _of_list(arrays: Any, batched: tuple[bool, ...], place: int) -> list[Any]:
    pairs = zip(arrays, batched, strict=True)
    return [
        ops.select(array, 0, place) if has_batch else array
        for array, has_batch in pairs
    ]


def _stacked(call: BatchedCall, made: list[Any]) -> Any:
    """Return the results of all items as one, or as a list or tuple of several."""
    first = made[0]
    if isinstance(first, (list, tuple)):
        parts = [_stacked(call, [*items]) for items in zip(*made, strict=True)]
        return tuple(parts) if isinstance(first, tuple) else parts
    if not hasattr(first, "ndim"):
        if any(result != first for result in made):
            raise BatchedDataError(call.op.name, tuple(sorted(call.batched)))
        return Unbatched(first)
    return ops.stack(made)
