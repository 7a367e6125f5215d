"""The rules for shapes and dtypes against PyTorch's, on its meta device."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import torch

from ..shape_calls import calls, replaced, rule_outcome, writes
from .comparison import SHIPPED, torch_overload, with_tensors
from .op_arguments import Call

FUNCTIONAL: Final = sorted(
    name for name, op in SHIPPED.items() if op.shape_rule and not writes(op)
)
#: How many calls of an overload are compared, and how many a failing test shows.
MOST_CALLS: Final = 150
SHOWN: Final = 5
#: What half precision becomes with complex numbers; NumPy has no such dtype.
HALF: Final = "complex32"


def on_meta(name: str, given: Call) -> Any:
    """Call PyTorch's overload with meta tensors; None where it refuses them."""

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(each) for each in value]
        return value.to("meta") if isinstance(value, torch.Tensor) else value

    # Tensors have no negative strides, and no rule looks at any.
    in_order = replaced(given, lambda array: np.array(array, order="C"))
    args, kwargs = with_tensors(name, in_order)
    named = {key: moved(value) for key, value in kwargs.items()}
    try:
        return described(torch_overload(name)(*map(moved, args), **named))
    except Exception:  # its refusals are compared where there are elements
        return None


def is_fault(name: str, given: Call) -> bool:
    """Whether PyTorch's meta device differs from its others.

    They give bool for bools to the power of a bool, as keyslot does, and meta int64.
    """
    if name != "pow.Tensor_Scalar":
        return False
    base, exponent = given.args
    return base.dtype == "bool" and isinstance(exponent, bool)


def described(result: Any) -> Any:
    """Return shape and dtype of each tensor in a result, as for ours."""
    if isinstance(result, torch.Tensor):
        return tuple(result.shape), str(result.dtype).removeprefix("torch.")
    if isinstance(result, (list, tuple)):
        return [described(each) for each in result]
    return result


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_rule_tells_what_pytorch_does(name: str) -> None:
    """Where both tell something, it is the same."""
    found: list[str] = []
    made = [*calls(name, SHIPPED[name])]
    for call in made[:: len(made) // MOST_CALLS + 1]:
        theirs, told = on_meta(name, call), rule_outcome(SHIPPED[name], call)
        if theirs is None or told.error is not None or HALF in str(theirs):
            continue
        if theirs != told.result and not is_fault(name, call):
            found.append(f"{name}{call}: {told.result}, for PyTorch {theirs}")
    assert not found, "\n".join([f"{len(found)} calls differ:", *found[:SHOWN]])
