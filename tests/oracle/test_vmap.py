"""`vmap` of the shipped operators against `torch.func.vmap`, on the samples of OpInfo.

Where PyTorch refuses a batch, ours may still be taken: it has no batching rule for
``out=``, for instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from keyslot.transforms import vmap

from ..batched_calls import Batch, batches
from .comparison import (
    REFUSALS,
    SHIPPED,
    UNDETERMINED,
    as_list,
    differing_values,
    torch_overload,
    with_objects,
)
from .op_arguments import Call
from .opinfo_calls import opinfo_calls

#: At most about so many calls of an overload are made into batches.
MOST_CALLS = 8
SIZE = 2
#: How many differences a failing test shows.
SHOWN = 5

#: Overloads of which PyTorch promotes batches of arrays without dimensions as if they
#: had some. Its own calls for each item, and ours, give other dtypes.
PROMOTED_AS_ONE = ("clamp.Tensor", "where.self")

#: The order of equal elements is not determined.
_UNDETERMINED = {**UNDETERMINED, "sort": 1, "sort.values": 1}

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_batches_give_what_pytorch_gives(name: str) -> None:
    """Results, dtypes and writes are those of PyTorch's vmap."""
    op = SHIPPED[name]
    if op.derived_from is not None or "nondeterministic_seeded" in op.tags:
        pytest.skip("what it is derived from is compared, or chance decides")
    calls = opinfo_calls().get(name, [])
    found = [
        f"{batch}: {difference}"
        for given in calls[:: max(1, len(calls) // MOST_CALLS)]
        for batch in batches(op, given, SIZE)
        for difference in _differences(name, batch)
    ]
    assert not found, "\n".join([f"{len(found)} batches differ:", *found[:SHOWN]])


def _differences(name: str, batch: Batch) -> Iterator[str]:
    try:
        theirs, their_arrays = batch.mapped(_torch_function(name), _torch_vmap)
    except Exception:  # whatever it is, it says nothing of ours
        return
    try:
        with np.errstate(all="ignore"):
            ours, our_arrays = batch.mapped(SHIPPED[name], vmap)
    except Exception as error:
        if _takes_items(batch):
            yield f"keyslot refuses: {error}"
        return
    if name in PROMOTED_AS_ONE and ours.dtype != theirs.numpy().dtype:
        return
    results = zip(as_list(ours), as_list(theirs), strict=True)
    for place, (our, their) in enumerate(results):
        if place != _UNDETERMINED.get(name):
            yield from differing_values("result", our, their, _tolerance(batch))
    if "inplace_view" in batch.op.tags:
        return  # a tensor of their array has been given another size, not the array
    for written in batch.written:
        pair = our_arrays[written], torch.from_numpy(their_arrays[written])
        yield from differing_values(str(written), *pair, _tolerance(batch))


def _torch_function(name: str) -> Callable[..., Any]:
    """Return PyTorch's overload as a function that takes dtypes by name."""
    overload = torch_overload(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        given, named = with_objects(name, Call(args, kwargs))
        return overload(*given, **named)

    return call


def _takes_items(batch: Batch) -> bool:
    """Whether keyslot takes each item alone, and not as a special case."""
    if batch.op.schema.name == "cumsum_" and batch.values["self"].dtype == "bool":
        return False  # bools are added up where there is one, or none
    try:
        for number in range(batch.size):
            batch.called(batch.op, batch.item(number))
    except REFUSALS:
        return False
    return True


def _tolerance(batch: Batch) -> float:
    """How far results may be apart, where single precision adds up much."""
    arrays = batch.arrays.values()
    single = any(array.dtype.name in ("float32", "complex64") for array in arrays)
    return 1e-4 if single else 0.0


def _torch_vmap(
    function: Callable[..., Any], in_dims: Any, out_dims: Any
) -> Callable[..., Any]:
    mapped = torch.func.vmap(function, in_dims, out_dims)
    return lambda *arrays: mapped(*map(torch.from_numpy, arrays))
