"""Calls with a batch, made of calls without one, and what each item of them gives."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from keyslot import OpOverload
from keyslot.transforms.batching import BatchedCall, DeclaredRule, Unbatched

from .oracle.op_arguments import Call

#: At most so many arrays of a call are batched, or not, in all combinations.
MOST_BATCHED = 3


class Place(NamedTuple):
    """Where a call has an array: an argument, or an item of one that is a list."""

    name: str
    item: int | None


class Batch(NamedTuple):
    """A call, and which of its arrays are batched."""

    op: OpOverload
    values: dict[str, Any]
    places: frozenset[Place]
    size: int

    def item(self, number: int) -> Call:
        """Return the call of one item, on arrays of its own."""
        return _as_call(
            self.op,
            {
                name: _changed(
                    self, name, lambda array: _variant(array, number), np.copy
                )
                for name in self.values
            },
        )

    def physical(self, rule: DeclaredRule, randomness: Any = "error") -> BatchedCall:
        """Return the call that a batching rule is given."""
        given = _as_call(
            self.op,
            {
                name: _changed(
                    self, name, lambda array: _stacked(array, self.size), np.copy
                )
                for name in self.values
            },
        )
        lists = {
            name: tuple(Place(name, item) in self.places for item in range(len(value)))
            for name, value in self.values.items()
            if isinstance(value, (list, tuple))
        }
        batched = frozenset(place.name for place in self.places)
        return BatchedCall(
            self.op, self.size, *given, batched, lists, rule.parameters, randomness
        )


def batches(op: OpOverload, given: Call, size: int) -> Iterator[Batch]:
    """Yield a call with its arrays batched or not, in all combinations."""
    positional = [arg.name for arg in op.schema.positional]
    values = {arg.name: arg.default for arg in op.schema.arguments}
    values |= dict(zip(positional, given.args, strict=False)) | given.kwargs
    places = [*_places(values)]
    for chosen in product((True, False), repeat=min(len(places), MOST_BATCHED)):
        kept = [place for place, taken in zip(places, chosen, strict=False) if taken]
        if kept:
            yield Batch(op, values, frozenset(kept), size)


def without_batch(result: Any, number: int) -> Any:
    """Return what the physical result of a rule holds for one item."""
    if isinstance(result, Unbatched):
        return result.value
    if isinstance(result, (list, tuple)):
        return type(result)([without_batch(part, number) for part in result])
    return result[number]


def _places(values: dict[str, Any]) -> Iterator[Place]:
    for name, value in values.items():
        if _is_array(value):
            yield Place(name, None)
        elif isinstance(value, (list, tuple)):
            arrays = [item for item, part in enumerate(value) if _is_array(part)]
            yield from (Place(name, item) for item in arrays)


def _changed(batch: Batch, name: str, batched: Any, plain: Any) -> Any:
    """Return an argument with its arrays changed, those of the batch in another way."""
    value = batch.values[name]

    def changed(array: Any, place: Place) -> Any:
        if not _is_array(array):
            return array
        return batched(array) if place in batch.places else plain(array)

    if isinstance(value, (list, tuple)):
        return [changed(part, Place(name, item)) for item, part in enumerate(value)]
    return changed(value, Place(name, None))


def _variant(array: Any, number: int) -> Any:
    """Return an array for one item: the same elements in another order."""
    return np.roll(array.ravel(), number).reshape(array.shape)


def _stacked(array: Any, size: int) -> Any:
    items = [_variant(array, number) for number in range(size)]
    return np.stack(items) if items else np.empty((0, *array.shape), array.dtype)


def _as_call(op: OpOverload, values: dict[str, Any]) -> Call:
    positional = [arg.name for arg in op.schema.positional]
    args = tuple([values[name] for name in positional])
    return Call(args, {k: v for k, v in values.items() if k not in positional})


def _is_array(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic))
