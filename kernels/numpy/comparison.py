"""Kernels of comparisons and of logical and bitwise operators of two operands."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from ..dtypes import is_bool
from ..variants import Kernel
from .arrays import Array
from .families import binary, with_number
from .refusals import operator_name, unfit_dtype

# With a number, what is missing here is NumPy's function itself.
eq, eq_, eq_out = binary(np.equal)
ne, ne_, ne_out = binary(np.not_equal)
_, eq_number_ = with_number(np.equal)
_, ne_number_ = with_number(np.not_equal)

# Complex numbers have no order.
ge, ge_, ge_out = binary(np.greater_equal, "c")
gt, gt_, gt_out = binary(np.greater, "c")
le, le_, le_out = binary(np.less_equal, "c")
lt, lt_, lt_out = binary(np.less, "c")
ge_number, ge_number_ = with_number(np.greater_equal, "c")
gt_number, gt_number_ = with_number(np.greater, "c")
le_number, le_number_ = with_number(np.less_equal, "c")
lt_number, lt_number_ = with_number(np.less, "c")

# Two operands of any dtypes are each true or false: no promotion.
_, logical_and_, logical_and_out = binary(np.logical_and)
_, logical_or_, logical_or_out = binary(np.logical_or)
_, logical_xor_, logical_xor_out = binary(np.logical_xor)

# Only integers and bools have bits.
bitwise_and, bitwise_and_, bitwise_and_out = binary(np.bitwise_and, "fc")
bitwise_or, bitwise_or_, bitwise_or_out = binary(np.bitwise_or, "fc")
bitwise_xor, bitwise_xor_, bitwise_xor_out = binary(np.bitwise_xor, "fc")
bitwise_and_number, bitwise_and_number_ = with_number(np.bitwise_and, "fc")
bitwise_or_number, bitwise_or_number_ = with_number(np.bitwise_or, "fc")
bitwise_xor_number, bitwise_xor_number_ = with_number(np.bitwise_xor, "fc")


def _shifting(ufunc: np.ufunc) -> tuple[Kernel, Kernel, Kernel]:
    """Return the kernels of a shift, which NumPy also has for bools, unlike PyTorch."""
    anything, in_place, out = binary(ufunc, "bfc")

    @wraps(anything)
    def shift(self: Array, other: Array, /) -> Any:
        if is_bool(self) and is_bool(other):
            raise unfit_dtype(operator_name(ufunc), self.dtype)
        return anything(self, other)

    return shift, in_place, out


left_shift, left_shift_, left_shift_out = _shifting(np.left_shift)
right_shift, right_shift_, right_shift_out = _shifting(np.right_shift)
left_shift_number, left_shift_number_ = with_number(np.left_shift, "bfc")
right_shift_number, right_shift_number_ = with_number(np.right_shift, "bfc")
