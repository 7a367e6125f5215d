"""Rules of operators that make arrays of nothing, of numbers, or of chance."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import RandomnessError
from ..arrays import converted
from .call import BatchedCall, Unbatched
from .forms import in_all_forms


@in_all_forms
def unbatched(call: BatchedCall) -> Any:
    """Batching rule of operators that read no array: the result has no batch."""
    return Unbatched(call.run())


@in_all_forms
def random(call: BatchedCall) -> Any:
    """Batching rule of operators that draw random numbers, of the size they are told.

    The parameter names the argument. Raises RandomnessError unless `vmap` was told
    whether the items share the numbers.
    """
    if is_same_for_all(call):
        return Unbatched(call.run())
    (name,) = call.parameters
    return call.run(**{name: [call.size, *call.values[name]]})


@in_all_forms
def random_permutation(call: BatchedCall) -> Any:
    """Batching rule of ``randperm``: for each item, random numbers are sorted."""
    if is_same_for_all(call):
        return Unbatched(call.run())
    values = call.values
    _, permutations = ops.sort(ops.rand([call.size, values["n"]]))
    return converted(permutations, values["dtype"])


def is_same_for_all(call: BatchedCall) -> bool:
    """Whether the items share the random numbers."""
    if call.randomness == "error":
        raise RandomnessError(call.op.name)
    return call.randomness == "same"
