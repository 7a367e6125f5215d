"""`vmap` of every shipped operator against a loop over the items.

The calls are those that are made through PyTorch too where it is installed. Each array
of a call is batched or not, in all combinations, and the batch has 3 items, 1 or none.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from keyslot import OpOverload
from keyslot.runtime.errors import (
    BatchedDataError,
    DataNeededError,
    DtypeError,
    NoShapeRuleError,
    UnbatchedWriteError,
)
from keyslot.transforms import make_fx, vmap

from .batched_calls import Batch, batches, item_of
from .oracle.op_arguments import Call
from .oracle.op_cases import CASES
from .oracle.pointwise_calls import pointwise_calls
from .schema_calls import shipped

SIZES = (3, 1, 0)
#: At most about so many calls of an overload are made into batches.
MOST_CALLS = 12
#: And so many where the same is asked in other ways.
FEW_CALLS = 4
#: How far floating-point elements may be apart, for the sums are added up in another
#: order; float64 where nothing is said.
TOLERANCES = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}
#: What both may refuse a call with; anything else is a fault.
REFUSALS = (ArithmeticError, IndexError, NotImplementedError, TypeError, ValueError)

#: Overloads whose result nothing determines.
UNDETERMINED = (
    *("empty", "empty_like", "empty_strided", "new_empty"),
    *("rand", "randn", "randperm"),
)
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


@pytest.mark.parametrize("name", sorted(OPS))
def test_batches_of_batches_are_batches(name: str) -> None:
    """Rules are made of operators, so they can be applied to batches again."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            f"{batch}: {difference}"
            for batch in _some_batches(OPS[name], 3)
            for difference in _nested_differences(batch)
        ]
    assert not found, "\n".join([f"{len(found)} differ:", *found[:5]])


@pytest.mark.parametrize("name", sorted(set(OPS) - {"resize_"}))
def test_traced_batches_have_any_size(name: str) -> None:
    """What is traced of a batch of 11 items computes one of 13."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            f"{batch}: {difference}"
            for batch in _some_batches(OPS[name], 11)
            if not batch.written and _returns_arrays(batch.op)
            for difference in _traced_differences(batch, 13)
        ]
    assert not found, "\n".join([f"{len(found)} differ:", *found[:5]])


def _some_batches(op: OpOverload, size: int) -> Iterator[Batch]:
    """Yield batches of a few calls of an operator."""
    calls = _calls(op)
    for given in calls[:: max(1, len(calls) // FEW_CALLS) | 1]:
        for batch in batches(op, given, size):
            if not _is_left_out(batch):
                yield batch


def _nested_differences(batch: Batch) -> Iterator[str]:
    """Yield how two batches at once differ from each of them."""
    places = [*batch.arrays]
    dims = tuple([0 if place in batch.batched else None for place in places])
    out_dims = 0 if _returns_arrays(batch.op) else None
    inner = _inner(batch)
    pair = [_physical(batch, number) for number in range(2)]
    stacked = [
        (
            np.stack([arrays[place] for arrays in pair])
            if place in batch.batched
            else pair[0][place]
        )
        for place in places
    ]
    try:
        expected = [inner(*arrays.values()) for arrays in pair]
    except REFUSALS:
        return
    made = vmap(inner, dims, out_dims)(*stacked)
    for number in range(2):
        ours = item_of(made, number)
        if not _alike(ours, expected[number], _tolerance(batch)):
            yield f"batch {number} is {ours!r}, not {expected[number]!r}"


def _traced_differences(batch: Batch, size: int) -> Iterator[str]:
    inner, other = _inner(batch), batch._replace(size=size)
    try:
        expected = inner(*other.physical().values())
        inner(*batch.physical().values())
    except REFUSALS:
        return
    try:
        graph = make_fx(inner, "symbolic")(*batch.physical().values())
    except (DataNeededError, NoShapeRuleError):
        return  # of the operator, batched or not
    made = graph(*other.physical().values())
    if not _alike(made, expected, _tolerance(batch)):
        yield f"replayed it gives {made!r}, not {expected!r}"


def _inner(batch: Batch) -> Callable[..., Any]:
    """Return ``vmap`` of a call as a function of its physical arrays."""
    places = [*batch.arrays]

    def one_item(*arrays: Any) -> Any:
        return batch.called(batch.op, dict(zip(places, arrays, strict=True)))

    dims = tuple([0 if place in batch.batched else None for place in places])
    return vmap(one_item, dims, 0 if _returns_arrays(batch.op) else None)


def _physical(batch: Batch, number: int) -> dict[Any, Any]:
    """Return the arrays of a batch, the items in another order."""
    return {
        place: np.roll(array, number, 0) if place in batch.batched else array
        for place, array in batch.physical().items()
    }


def _returns_arrays(op: OpOverload) -> bool:
    return {ret.type.base.name for ret in op.schema.returns} == {"Tensor"}


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
        # A composite that writes to what has no batch is refused where it writes.
        composite = batch.op.batching_rule is None
        if composite and not batch.batched.issuperset(batch.written):
            return
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
