"""Which overloads take a number in the place of an array, here and in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from keyslot import errors

from ..schema_calls import array_arguments, call_with
from .comparison import SHIPPED, keyslot_call, outcome, torch_call

#: The operators in which PyTorch takes numbers, in place and with ``out`` too.
PYTORCH_TAKES = {
    *("add", "sub", "mul", "div", "floor_divide", "true_divide"),
    *("copy", "_to_copy", "to"),
}
#: The overloads among them that take none here: they are not pointwise.
REFUSED_HERE = {
    *("copy", "copy.out", "copy_", "_to_copy", "_to_copy.out", "to.dtype"),
    *("floor_divide", "floor_divide.Scalar", "floor_divide.out"),
    *("floor_divide_.Scalar", "floor_divide_.Tensor", "true_divide_.Tensor"),
    *("add.Scalar_out", "sub.Scalar_out", "mul.Scalar_out"),
    *("div.Scalar_out", "div.Scalar_mode_out"),
}


@pytest.mark.parametrize("name", sorted(SHIPPED))
@pytest.mark.parametrize("number", [2.5, True], ids=repr)
def test_numbers_are_taken_by_other_overloads_than_in_pytorch(
    name: str, number: float
) -> None:
    """PyTorch goes by its list of names, keyslot by the tag, in every argument."""
    op = SHIPPED[name]
    by_name = op.schema.name.removesuffix("_") in PYTORCH_TAKES
    for argument in array_arguments(op):
        if argument.is_write:
            continue
        is_list = "[]" in str(argument.type)
        value = [number] if is_list else number
        given = call_with(op, argument, value, np.ones(2))
        theirs = outcome(torch_call, name, given).error
        ours = outcome(keyslot_call, name, given).error
        refused_there = "Expected a value of type" in str(theirs)
        assert refused_there is not by_name, f"{argument}: {theirs}"
        assert isinstance(ours, errors.OverloadError) is not op.takes_numbers, argument
    assert (name in REFUSED_HERE) is (by_name and not op.takes_numbers)
