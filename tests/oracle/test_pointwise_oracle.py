"""Pointwise operators and PyTorch take the same calls, and mean the same by them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import filterfalse
from typing import Any

import numpy as np
import pytest

from .declarations import pointwise
from .op_arguments import Call
from .op_comparisons import check_equal, check_single
from .pointwise_calls import calls
from .test_ops_oracle import check_same, keyslot_call, torch_call

POINTWISE = pointwise()

#: Overloads that are not PyTorch's in some calls, as docs/ops.md says.
KEPT: dict[str, Callable[[Call], bool]] = {
    **dict.fromkeys(
        ("pow.Tensor_Scalar", "pow_.Scalar", "pow.Tensor_Scalar_out"),
        lambda given: given.args[0].dtype == "bool" and given.args[1] is True,
    ),
    "abs.out": lambda given: given.args[0].dtype.kind == "c",
}


def outcome(call: Any, name: str, given: Call) -> Any:
    """Return what a call gives and what it was given, or None if it is refused."""
    try:
        return call(name, copy.deepcopy(given))
    except (RuntimeError, TypeError, ValueError, ArithmeticError):
        return None


#: The dtypes of single precision.
SINGLE = (np.dtype("float32"), np.dtype("complex64"))


def is_single(given: Call) -> bool:
    """Whether a call may be computed in single precision."""
    values = [*given.args, *given.kwargs.values()]
    return any(getattr(value, "dtype", None) in SINGLE for value in values)


@pytest.mark.parametrize("name", sorted(POINTWISE))
def test_overload_does_what_pytorch_does_or_refuses_the_same(name: str) -> None:
    """Either both compute the same, in the same dtype, or both refuse."""
    is_different = KEPT.get(name, lambda given: False)
    taken = 0
    for given in filterfalse(is_different, calls(POINTWISE[name])):
        theirs = outcome(torch_call, name, given)
        with np.errstate(all="ignore"):
            ours = outcome(keyslot_call, name, given)
        assert (ours is None) == (theirs is None), given
        if ours is not None:
            taken += 1
            compare = check_single if is_single(given) else check_equal
            check_same(given, ours, theirs, compare)
    assert taken
