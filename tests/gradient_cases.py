"""Calls of the operators that have derivatives, at points where they are smooth.

No elements are equal, none are at a bound, and none are near to where an operator has a
pole or a kink, so that a difference quotient is near to the derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from .oracle.op_arguments import Array, Call, call

#: What makes arrays of a shape.
Numbers = Callable[..., Array]
T = TypeVar("T")


def between(low: float, high: float, *shape: int, seed: int = 0) -> Array:
    """Return numbers at equal distances between two, in no order."""
    count = int(np.prod(shape))
    steps = (np.arange(count) + 0.5) / max(count, 1)
    shuffled = np.random.default_rng([seed, *shape]).permutation(steps)
    return np.asarray(low + (high - low) * shuffled).reshape(shape)


def reals(*shape: int, seed: int = 0) -> Array:
    """Return numbers of both signs, of which none is near to a whole one."""
    signs = np.random.default_rng([seed, *shape]).choice([-1.0, 1.0], shape)
    return np.asarray(signs * between(0.15, 0.8, *shape, seed=seed))


def positive(*shape: int, seed: int = 0) -> Array:
    """Return positive numbers."""
    return between(0.3, 2.9, *shape, seed=seed)


def complexes(*shape: int, seed: int = 0) -> Array:
    """Return complex numbers in all four quadrants."""
    return np.asarray(reals(*shape, seed=seed) + 1j * reals(*shape, seed=seed + 100))


def each(names: str, value: T) -> dict[str, T]:
    """Return a dictionary with one value for all of these names."""
    return dict.fromkeys(names.split(), value)


#: Where each unary operator is smooth; those with True are for complex numbers too.
UNARY: dict[str, tuple[Numbers, bool]] = {
    **each("abs neg sgn conj_physical square", (reals, True)),
    **each("sign ceil floor trunc round", (reals, False)),
    **each("acos asin asinh atan atanh", (reals, True)),
    "acosh": (lambda *shape: between(1.2, 3.0, *shape), True),
    **each("cos cosh sin sinh tan tanh", (reals, True)),
    **each("exp expm1 sigmoid reciprocal", (reals, True)),
    **each("log log10 log1p log2 sqrt rsqrt", (positive, True)),
    **each("erf relu gelu elu hardtanh leaky_relu", (reals, False)),
    **each("alias clone _to_copy sum prod mean", (reals, True)),
    **each("max min amax amin", (reals, False)),
}

INDEX = np.array([2, 0, 2])
PLACES = np.array([[0, 1, 1], [1, 0, 1]])
MASK = np.array([[True, False, True], [False, True, True]])


def pairs(numbers: Numbers) -> list[Call]:
    """Return calls with two arrays: of one shape, and of some that broadcast."""
    return [
        call(numbers(2, 3), numbers(2, 3, seed=1)),
        call(numbers(2, 1, 3), numbers(3, 1, seed=1)),
        call(numbers(), numbers(4, seed=1)),
    ]


def reductions(numbers: Numbers = reals) -> list[Call]:
    """Return calls that reduce dimensions: one, several, all, counted from the end."""
    x = numbers(2, 3, 4)
    return [
        call(x, [1]),
        call(x, [0, -1], True),
        call(x, []),
        call(numbers(), [0]),
    ]


def along(numbers: Numbers = reals) -> list[Call]:
    """Return calls that go along one dimension, which may be the only one or none."""
    return [call(numbers(2, 3), 0), call(numbers(2, 3), -1), call(numbers(), 0)]


def products(numbers: Numbers) -> list[Array]:
    """Return arrays with no, one and two zeros."""
    made = [numbers(3, 4) for _ in range(3)]
    made[1][0, 1] = made[1][2, 2] = 0
    made[2][0, 1] = made[2][2, 1] = 0
    return made


def view_calls(numbers: Numbers) -> dict[str, list[Call]]:
    """Return the calls of views."""
    x, cube = numbers(2, 3), numbers(2, 3, 4)
    return {
        "as_strided": [
            call(numbers(6), [2, 2], [1, 3]),
            call(numbers(6), [3, 2], [1, 1], 1),
            call(numbers(3, 4).T, [5], [2]),
        ],
        "diag_embed": [call(x), call(x, -1, 0, 2)],
        "diagonal": [
            call(x),
            call(x, 1),
            call(cube, -1, 2, 0),
            call(cube, 0, -1, 1),
        ],
        "expand": [call(x, [4, 2, 3]), call(numbers(3, 1), [2, -1, 5])],
        "permute": [call(cube, [2, 0, 1]), call(cube, [-1, 1, 0])],
        "select.int": [call(cube, 1, 2), call(cube, -1, -1)],
        "slice.Tensor": [
            call(cube, 2, 1, None, 2),
            call(cube, -2, -2, 9),
            call(cube),
        ],
        "split.Tensor": [call(cube, 3, 2), call(cube, 1)],
        "split_with_sizes": [call(cube, [1, 3], -1)],
        "squeeze.dim": [call(numbers(2, 1, 3), 1), call(x, 0), call(numbers(), 0)],
        "squeeze.dims": [call(numbers(1, 2, 1), [-1, 0]), call(x, [0, 1])],
        "transpose.int": [call(cube, 0, -1)],
        "unsqueeze": [call(x, 1), call(x, -1)],
        "view": [call(x, [3, 2]), call(x, [-1]), call(cube, [6, 4])],
    }


def shape_calls(numbers: Numbers) -> dict[str, list[Call]]:
    """Return the calls of operators that join, pad, repeat and copy."""
    x, y = numbers(2, 3), numbers(2, 3, seed=1)
    return {
        "cat": [call([x, numbers(1, 3)]), call([x, numbers(2, 1), x], -1)],
        "stack": [call([x, y]), call([x, y], -1)],
        "constant_pad_nd": [call(x, [1, 2]), call(x, [-1, 1, 2, -1], 3.5)],
        **each("tril triu", [call(x), call(numbers(2, 3, 3), -1)]),
        "flip": [call(x, [0]), call(x, [-1, 0])],
        "repeat": [
            call(x, [2, 1]),
            call(x, [2, 1, 3]),
            call(numbers(), [2]),
            call(x, [1, 1]),
        ],
        "copy": [call(x, y), call(x, numbers(3))],
        "resize_": [call(x, [3, 2])],
        "fill.Scalar": [call(x, 2.5)],
    }


def indexing_calls(numbers: Numbers) -> dict[str, list[Call]]:
    """Return the calls of operators that pick elements and write them."""
    x, y, cube = numbers(2, 3), numbers(2, 3, seed=1), numbers(2, 3, 4)
    few = numbers(2, 2, seed=2)
    return {
        "index.Tensor": [
            call(x, [None, INDEX]),
            call(cube, [PLACES[0] % 2, None, INDEX]),
            call(x, [MASK]),
        ],
        "index_put": [
            call(x, [None, np.array([2, 0])], few),
            call(x, [None, INDEX], numbers(3, seed=2), True),
            call(x, [MASK], numbers(), False),
        ],
        "index_select": [call(x, 1, INDEX), call(x, -2, INDEX // 2)],
        "masked_scatter": [
            call(x, MASK, numbers(6, seed=2)),
            call(x, MASK[0], numbers(2, 2, seed=2)),
        ],
        "slice_scatter": [call(x, few, 1, 0, None, 2), call(x, few, -1, -2)],
        "diagonal_scatter": [call(x, few[0]), call(cube, numbers(2, 2), 1, -1, 1)],
        "select_scatter": [call(x, numbers(2, seed=2), 1, -1)],
        "gather": [call(x, 0, PLACES), call(x, -1, PLACES[:, :2])],
        "scatter.src": [
            call(x, 0, PLACES[:1], y),
            call(x, -1, np.array([[2, 0], [1, 2]]), few),
        ],
        "scatter.value": [call(x, 1, PLACES[:, :2], 2.5)],
        "scatter_add": [call(x, 0, PLACES, y), call(x, 1, PLACES[:, :2], y)],
    }


def scatter_reduce_calls() -> list[Call]:
    """Return calls with every reduction, with zeros among what is multiplied."""
    x, y = reals(2, 3), reals(2, 3, seed=1)
    zeros = y.copy()
    zeros[0, 0] = zeros[1, 2] = zeros[0, 2] = 0
    reduced = [
        call(x, 0, PLACES, y, reduce, include_self=include_self)
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for include_self in (True, False)
    ]
    return [
        *reduced,
        call(x, 0, PLACES, zeros, "prod"),
        call(zeros, 0, PLACES[:, :2], zeros, "prod", include_self=False),
        call(complexes(2, 3), 1, PLACES, complexes(2, 3, seed=1), "prod"),
    ]


def matrix_calls(numbers: Numbers) -> dict[str, list[Call]]:
    """Return the calls of products of matrices."""
    left, right = numbers(2, 3), numbers(3, 4, seed=1)
    factors = {"beta": 0.5, "alpha": 2.0}
    return {
        "mm": [call(left, right)],
        "addmm": [
            call(numbers(2, 4), left, right),
            call(numbers(4), left, right, **factors),
        ],
        "bmm": [call(numbers(2, 2, 3), numbers(2, 3, 4, seed=1))],
    }


def with_numbers(numbers: Numbers) -> dict[str, list[Call]]:
    """Return the calls of arithmetic."""
    x, two = numbers(2, 3), call(numbers(2, 3), 2.5)
    return {
        "add.Tensor": [*pairs(numbers), call(x, numbers(3), alpha=2.5)],
        "sub.Tensor": [*pairs(numbers), call(x, numbers(3), alpha=2.5)],
        "mul.Tensor": pairs(numbers),
        "div.Tensor": pairs(numbers),
        **each("add.Scalar sub.Scalar", [two, call(x, 2.5, 2)]),
        **each("mul.Scalar div.Scalar", [two]),
        "pow.Tensor_Scalar": [
            call(x, 3),
            call(x, 2),
            call(x, 1),
            call(x, -2),
            call(x, 0),
        ],
        "where.self": [call(MASK, x, numbers(3, seed=1))],
    }


def real_cases() -> dict[str, list[Call]]:
    """Return the calls of operators that take no complex numbers."""
    x, y = reals(2, 3), reals(2, 3, seed=1)
    modes = [None, "floor", "trunc"]
    divided = pairs(positive)
    return {
        "div.Tensor_mode": [
            call(*c.args, rounding_mode=m) for c in divided for m in modes
        ],
        "div.Scalar_mode": [call(x, 0.4, rounding_mode=m) for m in modes],
        "nan_to_num": [call(np.array([0.5, -0.25, 2.5]))],
        "logaddexp": pairs(reals),
        **each("fmod.Tensor remainder.Tensor", pairs(reals)),
        **each("fmod.Scalar remainder.Scalar", [call(x, 0.4)]),
        **each("atan2 maximum minimum max.other", pairs(reals)),
        "pow.Tensor_Tensor": [*pairs(positive), call(positive(2, 3), x)],
        "pow.Scalar": [call(2.5, x), call(1, x)],
        "clamp": [call(x, -0.5, 0.5), call(x, None, 0.4), call(x, 0.2)],
        "clamp.Tensor": [
            call(x, y, reals(2, 3, seed=2)),
            call(x, reals(3)),
            call(x, None, reals()),
        ],
        "elu": [call(3 * x), call(x, 0.5, 2, 1.5)],
        "gelu": [call(3 * x), call(3 * x, approximate="tanh")],
        "hardtanh": [call(3 * x), call(x, -0.3, 0.5)],
        "leaky_relu": [call(x), call(x, 0.3)],
        **each("_softmax _log_softmax", [call(*c.args, False) for c in along()]),
        **each("amax amin", reductions()),
        **each("max.dim min.dim", [*along(), call(x, 1, True)]),
        "sort": [call(x), call(x, 0, True), call(reals())],
        "topk": [call(x, 2), call(x, 1, 0, False)],
        "scatter_reduce.two": scatter_reduce_calls(),
        "complex": [call(x, y), call(reals(3), y)],
        "view_as_complex": [call(reals(3, 2)), call(reals(2, 3, 2))],
        "_to_copy": [call(x, dtype="float64"), call(x, dtype="complex128")],
    }


def complex_cases() -> dict[str, list[Call]]:
    """Return the calls of operators that take complex numbers alone, or others too."""
    z = complexes(2, 3)
    return {
        "pow.Tensor_Tensor": [call(z, complexes(3, seed=1)), call(positive(2, 3), z)],
        "pow.Scalar": [call(2.5, z), call(-0.5 + 2j, z), call(-1.5, z)],
        "mul.Tensor": [call(z, reals(2, 3)), call(reals(2, 3), z)],
        "div.Tensor": [call(z, reals(2, 3)), call(reals(2, 3), z)],
        "mul.Scalar": [call(z, 1 - 2j), call(reals(3), 1 - 2j)],
        "add.Tensor": [call(z, reals(2, 3), alpha=1 - 2j)],
        **each("view_as_real real imag _conj_physical", [call(z)]),
        "acosh": [call(3 * z)],
        "var.correction": [call(z, [1], correction=0), call(z, [0], keepdim=True)],
    }


def reduction_calls(numbers: Numbers) -> dict[str, list[Call]]:
    """Return the calls of reductions."""
    cube = numbers(2, 3, 4)
    named = [
        call(*c.args[:2], keepdim=len(c.args) > 2) for c in reductions(numbers)[:3]
    ]
    return {
        **each("sum.dim_IntList mean.dim", reductions(numbers)),
        "prod": [call(x) for x in products(numbers)],
        "prod.dim_int": [call(x, 0, True) for x in products(numbers)] + along(numbers),
        "cumsum": along(numbers),
        "cumprod": [call(x, 0) for x in products(numbers)] + along(numbers),
        "std.correction": [*named, call(cube, None, correction=2.5)],
        "linalg_vector_norm": [
            *[call(cube, ord) for ord in (2, 1, 0.5, 0, np.inf, -np.inf)],
            *[call(cube, ord, [0, -1], True) for ord in (2, 3, np.inf)],
        ],
        "var": [call(cube)],
        "var.dim": [call(cube, [0]), call(cube, -1, False, True)],
        "var.correction": [*named, call(cube, None, correction=2.5)],
        "var_mean.correction": [*named, call(cube, None, correction=0)],
    }


def _all_cases() -> dict[str, list[Call]]:
    found: dict[str, list[Call]] = {}
    families = (view_calls, shape_calls, indexing_calls, matrix_calls, with_numbers)
    groups = [
        family(n) for family in (*families, reduction_calls) for n in (reals, complexes)
    ]
    for name, (numbers, with_complex) in UNARY.items():
        found[name] = [call(numbers(2, 3)), call(numbers())]
        if with_complex:
            found[name] += [call(complexes(2, 3))]
    for group in (*groups, real_cases(), complex_cases()):
        for name, calls in group.items():
            found.setdefault(name, []).extend(calls)
    return found


CASES: dict[str, list[Call]] = _all_cases()
