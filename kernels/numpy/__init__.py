"""The NumPy kernels of the operators that keyslot ships.

The YAML files name the attributes of this package as kernels. Each kernel takes the
arguments of its schema; where a NumPy function does so itself, the YAML names that.
"""

if __name__ != "keyslot.kernels.numpy":
    raise ImportError(
        f"import keyslot.kernels.numpy, not {__name__}: one copy of everything"
    )

from . import (
    activation,
    arithmetic,
    comparison,
    complex_numbers,
    copying,
    creation,
    diagonals,
    division,
    extremes,
    indexing,
    linalg,
    norms,
    ranges,
    reduction,
    sampling,
    scatter,
    shape,
    sorting,
    strides,
    truth,
    unary,
    variance,
    view,
)

__all__ = [
    "activation",
    "arithmetic",
    "comparison",
    "complex_numbers",
    "copying",
    "creation",
    "diagonals",
    "division",
    "extremes",
    "indexing",
    "linalg",
    "norms",
    "ranges",
    "reduction",
    "sampling",
    "scatter",
    "shape",
    "sorting",
    "strides",
    "truth",
    "unary",
    "variance",
    "view",
]
