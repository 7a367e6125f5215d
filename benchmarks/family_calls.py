"""The calls of shipped operators that are timed, family by family.

Each is written as a user would write it, beside the call of NumPy that does the same.
What the names in them stand for is in ``arguments``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

#: Families in the order of the tables; an overload, its arguments, NumPy's call.
_CALLS: Final = {
    "unary": (
        *((name, "a", f"{name}(a)") for name in ("abs", "ceil", "cos", "exp", "expm1")),
        *((name, "a", f"{name}(a)") for name in ("floor", "isinf", "isnan", "log")),
        *((name, "a", f"{name}(a)") for name in ("log10", "log1p", "log2", "sign")),
        *(
            (name, "a", f"{name}(a)")
            for name in ("sin", "sqrt", "tan", "tanh", "trunc")
        ),
        ("acos", "c", "arccos(c)"),
        ("neg", "a", "negative(a)"),
        ("reciprocal", "a", "reciprocal(a)"),
        ("exp.out", "a, out=o", "exp(a, o)"),
    ),
    "arithmetic": (
        ("add.Tensor", "a, b", "add(a, b)"),
        ("sub.Tensor", "a, b", "subtract(a, b)"),
        ("mul.Tensor", "a, b", "multiply(a, b)"),
        ("mul.Scalar", "a, 2.0", "multiply(a, 2.0)"),
        ("mul.out", "a, b, out=o", "multiply(a, b, o)"),
        ("mul_.Tensor", "o, u", "multiply(o, u, o)"),
        ("div.Tensor", "a, b", "divide(a, b)"),
        ("atan2", "a, b", "arctan2(a, b)"),
        ("fmod.Tensor", "a, b", "fmod(a, b)"),
        ("maximum", "a, b", "maximum(a, b)"),
        ("minimum", "a, b", "minimum(a, b)"),
        ("pow.Tensor_Tensor", "a, b", "power(a, b)"),
        ("remainder.Tensor", "a, b", "remainder(a, b)"),
    ),
    "logical": (
        ("eq.Tensor", "a, b", "equal(a, b)"),
        ("lt.Tensor", "a, b", "less(a, b)"),
        ("lt.Scalar", "a, 1.5", "less(a, 1.5)"),
        ("bitwise_and.Tensor", "i, j", "bitwise_and(i, j)"),
        ("bitwise_not", "i", "bitwise_not(i)"),
        ("bitwise_xor.Tensor", "i, j", "bitwise_xor(i, j)"),
        ("logical_and", "m, n", "logical_and(m, n)"),
        ("logical_not", "m", "logical_not(m)"),
    ),
    "activation": (
        ("clamp", "a, 1.2, 1.8", "clip(a, 1.2, 1.8)"),
        ("relu", "a", "maximum(a, 0.0)"),
        ("where.self", "m, a, b", "where(m, a, b)"),
    ),
    "reduction": (
        ("amax", "a, [0]", "amax(a, 0)"),
        ("any", "m", "any(m)"),
        ("argmax", "a", "argmax(a)"),
        ("cumsum", "a, 0", "cumsum(a, 0)"),
        ("max", "a", "max(a)"),
        ("mean.dim", "a, [0]", "mean(a, 0)"),
        ("prod", "u", "prod(u)"),
        ("sum", "a", "sum(a)"),
        ("sum.dim_IntList", "a, [0]", "sum(a, 0)"),
        ("var.correction", "a, [0], correction=0", "var(a, 0)"),
    ),
    "view": (
        ("permute", "t, [1, 0]", "transpose(t, (1, 0))"),
        ("squeeze.dim", "l, 0", "squeeze(l, 0)"),
        ("transpose.int", "t, 0, 1", "swapaxes(t, 0, 1)"),
        ("unsqueeze", "a, 0", "expand_dims(a, 0)"),
        ("view", "t, [-1]", "reshape(t, (-1,))"),
    ),
    "shape": (
        ("cat", "[a, b]", "concatenate((a, b))"),
        ("clone", "a", "copy(a)"),
        ("repeat", "a, [2]", "tile(a, 2)"),
        ("stack", "[a, b]", "stack((a, b))"),
    ),
    "creation": (
        ("arange", "size", "arange(size)"),
        ("full", "[size], 1.5", "full((size,), 1.5)"),
        ("full_like", "a, 1.5", "full_like(a, 1.5)"),
        ("zeros", "[size]", "zeros((size,))"),
        ("zeros_like", "a", "zeros_like(a)"),
    ),
    "indexing": (
        ("gather", "a, 0, p", "take_along_axis(a, p, 0)"),
        ("index_select", "a, 0, p", "take(a, p, 0)"),
        ("nonzero", "m", "argwhere(m)"),
    ),
    # PyTorch's sort finds out where the elements were, too, as NumPy's argsort does.
    "sorting": (("sort", "a", "argsort(a, -1, 'stable')"),),
    "linalg": (
        ("mm", "t, t", "matmul(t, t)"),
        ("bmm", "s, s", "matmul(s, s)"),
    ),
}


@dataclass(frozen=True, slots=True)
class FamilyCall:
    """A call of an operator, and what it is compared with."""

    family: str
    #: The overload that the call reaches.
    overload: str
    #: The arguments of the operator, as source; PyTorch's takes the same.
    arguments: str
    #: NumPy's function and its arguments, as source.
    function: str
    function_arguments: str

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self.overload.partition(".")[0]

    @property
    def source(self) -> str:
        """The call as a user writes it."""
        return f"{self.operator}({self.arguments})"


def family_calls() -> list[FamilyCall]:
    """Return all calls, in the order of the families."""
    return [
        FamilyCall(family, overload, arguments, *_split(call))
        for family, calls in _CALLS.items()
        for overload, arguments, call in calls
    ]


def arguments(size: int) -> dict[str, Any]:
    """Return what the names in the calls stand for, arrays of about ``size`` elements.

    ``a`` and ``b`` are float64 between 1 and 2, ``c`` between 0 and 1, ``u`` is 1,
    ``o`` is written to, ``i`` and ``j`` are int64, ``m`` and ``n`` bool, ``p`` holds
    places, ``t`` is a square matrix, ``s`` a stack of two and ``l`` has a dimension of
    size 1.
    """
    import numpy as np

    numbers = np.linspace(1.0, 2.0, size)
    places = np.random.default_rng(0).permutation(size)
    side = round(size**0.5)
    square = numbers[: side * side].reshape(side, side)
    return {
        "size": size,
        "a": numbers[places],
        "b": numbers[::-1].copy(),
        "c": numbers - 1.0,
        "u": np.ones(size),
        "o": np.ones(size),
        "i": np.arange(size),
        "j": np.arange(size)[::-1].copy(),
        "m": numbers > 1.5,
        "n": numbers < 1.7,
        "p": places,
        "t": square,
        "s": np.stack([square, square]),
        "l": numbers[None],
    }


def _split(call: str) -> tuple[str, str]:
    function, _, rest = call.partition("(")
    return function, rest.removesuffix(")")
