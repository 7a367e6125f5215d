"""The rules for shapes and dtypes tell what the NumPy kernels return, or refuse."""

from __future__ import annotations

from typing import Final

import pytest

from keyslot.runtime.errors import DataNeededError

from .schema_calls import shipped
from .shape_calls import Call, Outcome, calls, real_outcome, rule_outcome

SHIPPED = shipped()
RULED = sorted(name for name, op in SHIPPED.items() if op.shape_rule)
#: How many calls a failing test shows.
SHOWN: Final = 5

#: Overloads whose results depend on elements, or on the order of these in memory.
DATA_NEEDED: Final = {
    "_local_scalar_dense": "the element itself",
    "index.Tensor": "how many elements a mask picks",
    "index.Tensor_out": "how many elements a mask picks",
    "nonzero": "how many elements are not 0",
    "nonzero.out": "how many elements are not 0",
    "sym_is_contiguous": "the order in memory",
    "sym_storage_offset": "the place in memory",
    "sym_stride.int": "the order in memory",
}


def difference(name: str, call: Call) -> str | None:
    """Return what a rule tells that the kernel does not do, None for nothing."""
    op = SHIPPED[name]
    real, told = real_outcome(op, call), rule_outcome(op, call)
    if isinstance(told.error, DataNeededError) and name in DATA_NEEDED:
        return None
    writes = any(argument.is_write for argument in op.schema.arguments)
    if agree(real, told, writes=writes):
        return None
    return f"{name}{call}:\n    kernel {real}\n    rule {told}"


def agree(real: Outcome, told: Outcome, *, writes: bool) -> bool:
    if real.error is None:
        return told.error is None and (writes or real.result == told.result)
    if told.error is not None:
        return real.same_refusal(told)
    return writes


@pytest.mark.parametrize("name", RULED)
def test_rule_tells_what_the_kernel_does(name: str) -> None:
    found = [d for call in calls(name, SHIPPED[name]) if (d := difference(name, call))]
    assert not found, "\n".join([f"{len(found)} calls differ:", *found[:SHOWN]])
