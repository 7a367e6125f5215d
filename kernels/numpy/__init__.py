"""The NumPy kernels of the operators that keyslot ships.

The YAML files name the attributes of this package as kernels. Each kernel takes the
arguments of its schema; where a NumPy function does so itself, the YAML names that.
"""

if __name__ != "keyslot.kernels.numpy":
    raise ImportError(
        f"import keyslot.kernels.numpy, not {__name__}: one copy of everything"
    )

from .creation import arange, arange_start, full, zeros, zeros_like
from .pointwise import add, add_, add_out, clamp, div_rounded, mul_, mul_out, sub
from .reduction import (
    max_all,
    max_dim,
    max_dim_out,
    sum_all,
    sum_dim,
    sum_dim_out,
    var_mean,
)
from .shape import cat, cat_out, index, split, transpose, unsqueeze, view

__all__ = [
    "add",
    "add_",
    "add_out",
    "arange",
    "arange_start",
    "cat",
    "cat_out",
    "clamp",
    "div_rounded",
    "full",
    "index",
    "max_all",
    "max_dim",
    "max_dim_out",
    "mul_",
    "mul_out",
    "split",
    "sub",
    "sum_all",
    "sum_dim",
    "sum_dim_out",
    "transpose",
    "unsqueeze",
    "var_mean",
    "view",
    "zeros",
    "zeros_like",
]
