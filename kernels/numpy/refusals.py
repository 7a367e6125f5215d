"""What pointwise kernels say of operands that a ufunc refuses.

NumPy names the ufunc, and speaks of operands that the caller does not know of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from .arrays import Array
from .promotion import Dtype

#: The operators that NumPy has under other names, but for those that begin with arc.
_OPERATORS: Final = {
    "absolute": "abs",
    "divide": "div",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "subtract": "sub",
}


def operator_name(ufunc: Any) -> str:
    """Return the name of the operator that a ufunc computes."""
    name: str = ufunc.__name__
    return _OPERATORS.get(name, name.replace("arc", "a").lstrip("_"))


def unfit_dtype(name: str, dtype: Dtype) -> DtypeError:
    """Return the error of arrays that an operator does not take."""
    return DtypeError(f"{name} takes no arrays of dtype {dtype}")


def named_twice(argument: str, dims: Sequence[int]) -> ArgumentValueError:
    """Return the error of a list of dimensions in which one is there twice."""
    return ArgumentValueError(
        f"{argument} is {list(dims)}, which names a dimension twice"
    )


def unfit_shape(self: Array, other: Any, error: ValueError) -> ValueError:
    """Return the error of an operand that does not broadcast to what is changed.

    That is the one given where it does: something else is wrong then.
    """
    shape = np.shape(other)
    try:
        if np.broadcast_shapes(self.shape, shape) == self.shape:
            return error
    except ValueError:
        pass  # They do not broadcast to any shape.
    return ArgumentValueError(
        f"other has shape {shape}, which does not broadcast to {self.shape};"
        " an array that is changed in place does not grow"
    )
