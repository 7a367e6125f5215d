"""Calls of a batch, made of calls of one item, and what each of their items gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from keyslot import OpOverload

from .oracle.op_arguments import Call

#: At most so many arrays of a call are batched, or not, in all combinations.
MOST_BATCHED = 3


class Place(NamedTuple):
    """Where a call has an array: an argument, or an item of one that is a list."""

    name: str
    item: int | None

    def __str__(self) -> str:
        return self.name if self.item is None else f"{self.name}[{self.item}]"


class Batch(NamedTuple):
    """The call of one item, and which of its arrays differ among the items."""

    op: OpOverload
    values: dict[str, Any]
    #: Every array.
    arrays: dict[Place, Any]
    #: The places of those that are batched.
    batched: frozenset[Place]
    size: int

    def __str__(self) -> str:
        arrays = [
            f"{place} {array.dtype}{array.shape}"
            f"{' batched' if place in self.batched else ''}"
            for place, array in self.arrays.items()
        ]
        names = {place.name for place in self.arrays}
        others = {n: value for n, value in self.values.items() if n not in names}
        return f"{self.size} items of {', '.join(arrays)}, {others}"

    @property
    def written(self) -> list[Place]:
        """The places that the operator writes to."""
        names = [arg.name for arg in self.op.schema.arguments if arg.is_write]
        return [place for place in self.arrays if place.name in names]

    def item(self, number: int) -> dict[Place, Any]:
        """Return the arrays of one item, in memory of their own."""
        return {
            place: variant(array, number) if place in self.batched else array.copy()
            for place, array in self.arrays.items()
        }

    def physical(self) -> dict[Place, Any]:
        """Return the arrays with all items in those that are batched."""
        return {
            place: _stacked(array, self.size) if place in self.batched else array.copy()
            for place, array in self.arrays.items()
        }

    def called(self, call: Callable[..., Any], arrays: dict[Place, Any]) -> Any:
        """Return what a call with other arrays gives."""
        values = {name: self._argument(name, arrays) for name in self.values}
        args = [values.pop(arg.name) for arg in self.op.schema.positional]
        return call(*args, **values)

    def _argument(self, name: str, arrays: dict[Place, Any]) -> Any:
        value: Any = self.values[name]
        if type(value) not in (list, tuple):
            return arrays.get(Place(name, None), value)
        items = range(len(value))
        return [arrays.get(Place(name, item), value[item]) for item in items]

    def mapped(self, call: Callable[..., Any], map: Callable[..., Any]) -> Any:
        """Return what ``vmap`` of the call gives, and the arrays it was given."""
        physical = self.physical()
        places = [*physical]
        dims = tuple([0 if place in self.batched else None for place in places])

        def one_item(*arrays: Any) -> Any:
            return self.called(call, dict(zip(places, arrays, strict=True)))

        returned = {ret.type.base.name for ret in self.op.schema.returns}
        out_dims = 0 if returned == {"Tensor"} else None
        return map(one_item, dims, out_dims)(*physical.values()), physical


def batches(op: OpOverload, given: Call, size: int) -> Iterator[Batch]:
    """Yield a call with its arrays batched or not, in all combinations."""
    positional = [arg.name for arg in op.schema.positional]
    values = {arg.name: arg.default for arg in op.schema.arguments}
    values |= dict(zip(positional, given.args, strict=False)) | given.kwargs
    arrays = dict(_arrays(values))
    for chosen in product((True, False), repeat=min(len(arrays), MOST_BATCHED)):
        taken = frozenset(
            place for place, is_taken in zip(arrays, chosen, strict=False) if is_taken
        )
        if taken:
            yield Batch(op, values, arrays, taken, size)


def item_of(result: Any, number: int) -> Any:
    """Return one item of the results of a batch."""
    if type(result) in (list, tuple):
        return type(result)([item_of(part, number) for part in result])
    return result[number] if isinstance(result, np.ndarray) else result


def variant(array: Any, number: int) -> Any:
    """Return the array of one item: the same elements in another order.

    So it can be for all items what it is for one, a mask or indices within bounds.
    """
    return np.roll(array.ravel(), number).reshape(array.shape)


def _arrays(values: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    for name, value in values.items():
        if isinstance(value, (np.ndarray, np.generic)):
            yield Place(name, None), value
        elif type(value) in (list, tuple):
            for item, one in enumerate(value):
                if isinstance(one, (np.ndarray, np.generic)):
                    yield Place(name, item), one


def _stacked(array: Any, size: int) -> Any:
    items = [variant(array, number) for number in range(size)]
    return np.stack(items) if items else np.empty((0, *array.shape), array.dtype)
