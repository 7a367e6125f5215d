"""`vmap` of every shipped operator against a loop over the items.

The calls are those that are made through PyTorch too where it is installed. Each array
of a call is batched or not, in all combinations, and the batch has 3 items, 1 or none.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from keyslot import OpOverload
from keyslot.runtime.errors import BatchedDataError, DtypeError, UnbatchedWriteError
from keyslot.transforms.batches.functions import vmap

from .batched_calls import Batch, batches, item_of
from .oracle.op_arguments import Call
from .oracle.op_cases import CASES
from .oracle.pointwise_calls import pointwise_calls
from .schema_calls import shipped

SIZES = (3, 1, 0)
#: At most about so many calls of an overload are made into batches.
MOST_CALLS = 12
#: How far floating-point elements may be apart, for the sums are added up in another
#: order; float64 where nothing is said.
TOLERANCES = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}
#: What both may refuse a call with; anything else is a fault.
REFUSALS = (ArithmeticError, IndexError, NotImplementedError, TypeError, ValueError)

#: Overloads whose result nothing determines.
UNDETERMINED = ("empty", "empty_strided", "rand", "randn", "randperm")
#: What a batch is refused, and each of its items is not, with the reason.
STRICTER = {
    # The result of uint8 is uint8, and may be written to bool as a special case.
    **dict.fromkeys(("any.all_out", "any.dims_out", "any.out"), DtypeError),
}

OPS = {
    name: op
    for name, op in shipped().items()
    if op.schema.name not in UNDETERMINED and op.derived_from is None
}


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_item_is_what_the_operator_gives_for_it(name: str) -> None:
    """Results and what is written are those of the loop, refusals too."""
    op = OPS[name]
    calls = _calls(op)
    # A step that does not divide the number of dtypes, so that all have their turn.
    step = max(1, len(calls) // MOST_CALLS) | 1
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            f"{batch}: {difference}"
            for given in calls[::step]
            for size in SIZES
            for batch in batches(op, given, size)
            if not _is_left_out(batch)
            for difference in _differences(batch)
        ]
    assert not found, "\n".join([f"{len(found)} differ:", *found[:5]])


def _calls(op: OpOverload) -> list[Call]:
    name = op.schema.qualified
    if name in CASES:
        return [*CASES[name]()]
    return [*pointwise_calls(op.schema)]


def _is_left_out(batch: Batch) -> bool:
    """Whether NumPy or PyTorch has a special case of its own for arrays like this."""
    name, values = batch.op.schema.qualified, batch.values
    if name == "sym_stride.int":
        return not values["self"].size  # strides of no elements say nothing
    # Of an array without dimensions, 0 elements are its only one.
    return name == "topk" and values["k"] == 0 and values["self"].ndim == 0


def _differences(batch: Batch) -> Iterator[str]:
    """Yield how the results of a batch differ from those of its items."""
    items = [batch.item(number) for number in range(max(batch.size, 1))]
    try:
        made, given = batch.mapped(batch.op, vmap)
    except UnbatchedWriteError:
        if all(place in batch.batched for place in batch.written):
            yield "refused, as if what is written to were not batched"
        return
    except BatchedDataError:
        return
    except REFUSALS as error:
        if not isinstance(error, STRICTER.get(batch.op.schema.qualified, ())):
            yield from _wrong_refusal(batch, items, error)
        return
    try:
        expected = [batch.called(batch.op, item) for item in items]
    except REFUSALS as error:
        # Where only `out` is batched, what is written to it need not have its dtype.
        only_out = batch.batched.issubset(batch.written)
        if batch.size and not (only_out and isinstance(error, DtypeError)):
            yield f"is taken, of an item refused: {error}"
        return
    yield from _differing_items(batch, made, expected, items)
    for place in batch.written:
        arrays = [item[place] for item in items]
        batched = place in batch.batched
        for number, array in enumerate(arrays[: batch.size]):
            ours = given[place][number] if batched else given[place]
            if not _alike(ours, array, _tolerance(batch)):
                yield f"{place.name} of item {number} is {ours}, not {array}"


def _wrong_refusal(batch: Batch, items: list[Any], refusal: Exception) -> Iterator[str]:
    try:
        for item in items:
            batch.called(batch.op, item)
    except REFUSALS:
        return
    yield f"is refused: {refusal}"


def _differing_items(
    batch: Batch, made: Any, expected: list[Any], items: list[Any]
) -> Iterator[str]:
    if not batch.size:
        yield from _differing_empty(made, expected[0])
    for number in range(batch.size):
        ours = item_of(made, number)
        if not _alike(ours, expected[number], _tolerance(batch)):
            yield f"item {number} is {ours!r}, not {expected[number]!r}"


def _differing_empty(made: Any, expected: Any) -> Iterator[str]:
    """Yield how results without items differ in shape and dtype."""
    if type(expected) in (list, tuple):
        for ours, one in zip(made, expected, strict=True):
            yield from _differing_empty(ours, one)
    elif hasattr(expected, "shape"):
        wanted = (0, *expected.shape), expected.dtype
        if (made.shape, made.dtype) != wanted:
            yield f"{made.shape} of {made.dtype} for {wanted}"


def _tolerance(batch: Batch) -> float:
    arrays = batch.arrays.values()
    return max((TOLERANCES.get(array.dtype.name, 0) for array in arrays), default=0)


def _alike(ours: Any, expected: Any, tolerance: float) -> bool:
    if type(expected) in (list, tuple):
        pairs = zip(ours, expected, strict=True)
        same = type(ours) is type(expected)
        return same and all(_alike(*pair, tolerance) for pair in pairs)
    if not hasattr(expected, "shape"):
        return bool(ours == expected)
    if (ours.shape, ours.dtype) != (expected.shape, expected.dtype):
        return False
    if expected.dtype.kind not in "fc":
        return np.array_equal(ours, expected)
    apart = max(tolerance, TOLERANCES.get(expected.dtype.name, 1e-12))
    return np.allclose(ours, expected, apart, apart, equal_nan=True)
