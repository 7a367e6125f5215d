"""Where derivatives differ from PyTorch's on purpose, as in ``known_differences``."""

from __future__ import annotations

import numpy as np

from .known_differences import Difference, with_arrays
from .op_arguments import Call, call

_X = np.array([1.5, -2.5, 0.5])
_NAN = np.array([1.5, np.nan])
_ZERO = np.array([0.0, 2.0])
_INDEX = np.array([0, 0, 1])


def over_no_dims(given: Call) -> bool:
    """Accept calls whose list of dimensions is empty."""
    return [] in (given.kwargs.get("dim"), *given.args[1:2])


def of_ties(given: Call) -> bool:
    """Accept calls with equal elements."""
    return bool(np.unique(given.args[0]).size < given.args[0].size)


def with_zero(given: Call) -> bool:
    """Accept calls whose first array has a zero."""
    return not np.all(given.args[0])


def of_real_base(given: Call) -> bool:
    """Accept powers of real numbers to complex ones."""
    return not np.iscomplexobj(given.args[0]) and np.iscomplexobj(given.args[1])


def infinite_or_nan(given: Call) -> bool:
    """Accept calls whose first array has elements that are not finite."""
    return not np.all(np.isfinite(given.args[0]))


def without_self(given: Call) -> bool:
    """Accept calls in which nothing is left of what elements are scattered to."""
    return not given.kwargs.get("include_self", True)


DIFFERENCES = (
    Difference(
        "An empty list of dimensions means all of them, for the gradient too; PyTorch "
        "divides the gradient of such a variance by 1 - correction.",
        ("var.correction", "var_mean.correction", "std.correction"),
        r"gradient|tangent",
        "var.correction",
        call(_X, []),
        over_no_dims,
    ),
    Difference(
        "The gradient of a power stays finite at base 0 when it is differentiated; "
        "PyTorch multiplies 0 with the derivative of the logarithm, which is infinite.",
        ("pow.Tensor_Tensor", "pow_.Tensor"),
        r"(?s)second gradient.*nan",
        "pow.Tensor_Tensor",
        call(_ZERO, np.array([3.0, 3.0])),
        with_zero,
    ),
    Difference(
        "The tangent of a power of a real number to a complex one is complex; PyTorch "
        "takes the real part of what the base contributes.",
        ("pow.Tensor_Tensor",),
        r"tangent",
        "pow.Tensor_Tensor",
        call(np.array([1.5]), np.array([1 + 2j])),
        of_real_base,
    ),
    Difference(
        "Products of complex numbers have gradients whichever overload makes them. "
        "PyTorch refuses `scatter_reduce`, and for `scatter_reduce_` leaves out the "
        "conjugate.",
        ("scatter_reduce_.two",),
        r"gradient",
        "scatter_reduce_.two",
        call(_X + 1j, 0, _INDEX, _X + 2j, "prod"),
        with_arrays("c"),
    ),
    Difference(
        "Where nothing is left of what elements are scattered to, it has no part in "
        "the extreme ones, even if it was as large; PyTorch counts it.",
        ("scatter_reduce*.two",),
        r"gradient|tangent",
        "scatter_reduce.two",
        call(_X, 0, _INDEX, _X, "amax", include_self=False),
        without_self,
    ),
    Difference(
        "The gradient of an extreme element that is NaN is NaN for all elements, as "
        "for `amax`; PyTorch's `max` and `min` give it to those that are NaN.",
        ("max", "min"),
        r"gradient|tangent",
        "max",
        call(_NAN),
        infinite_or_nan,
    ),
    Difference(
        "What is multiplied with infinity and NaN has the gradient NaN; PyTorch makes "
        "it 0 where there is a zero, too.",
        ("prod", "prod.dim_int"),
        r"gradient|tangent",
        "prod",
        call(np.array([0.0, 0.0, np.inf, np.nan])),
        infinite_or_nan,
    ),
    Difference(
        "Of equal elements it is left open which are picked.",
        ("topk",),
        r"gradient|tangent",
        "topk",
        call(np.array([0.5, 1.5, 0.5, 0.25]), 3),
        of_ties,
    ),
)
