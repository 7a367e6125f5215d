"""Pointwise operators and PyTorch take the same dtypes, and give the same results."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from keyslot.runtime.schema import parse_schema

from .op_arguments import Call
from .pointwise_grid import grid
from .test_ops_oracle import (
    ROOT,
    SINGLE,
    check_equal,
    keyslot_call,
    read_declarations,
    torch_call,
)

FILES = ("unary", "arithmetic", "comparison", "logical")
POINTWISE = {
    name: parse_schema(entry["func"])
    for file in FILES
    for name, entry in read_declarations(ROOT / f"schemas/ops/{file}.yaml").items()
}


def outcome(call: Any, name: str, given: Call) -> Any:
    """Return what a call gives and what it was given, or None if it is refused."""
    try:
        result, arrays = call(name, copy.deepcopy(given))
    except (RuntimeError, TypeError, ValueError, ArithmeticError):
        return None
    return [result, *arrays]


def is_single(given: Call) -> bool:
    """Whether a call may be computed in single precision."""
    values = [*given.args, *given.kwargs.values()]
    return any(getattr(value, "dtype", None) in SINGLE for value in values)


def text(given: Call) -> str:
    """Return dtypes and shapes of the arguments of a call, and the other arguments."""
    values = [*given.args, *given.kwargs.values()]
    return str([getattr(v, "dtype", v) for v in values] + [np.shape(v) for v in values])


@pytest.mark.parametrize("name", sorted(POINTWISE))
def test_all_combinations_of_dtypes_mean_the_same(name: str) -> None:
    """Either both compute the same, in the same dtype, or both refuse."""
    for given in grid(POINTWISE[name]):
        theirs = outcome(torch_call, name, given)
        with np.errstate(all="ignore"):
            ours = outcome(keyslot_call, name, given)
        assert (ours is None) == (theirs is None), text(given)
        for our, their in zip(ours or (), theirs or (), strict=True):
            check_equal(our, their, is_single(given))
