"""Where keyslot differs from PyTorch on purpose: data, which the documents agree with.

A difference that is not here makes a test fail, and so does one that is here and gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from .comparison import differences, flat
from .op_arguments import Call, call


def any_call(given: Call) -> bool:
    """Accept all calls."""
    return True


def with_arrays(kinds: str) -> Callable[[Call], bool]:
    """Accept calls with an array of one of these kinds, as NumPy names them."""

    def accepts(given: Call) -> bool:
        arrays = flat([*given.args, *given.kwargs.values()], np.ndarray)
        return any(array.dtype.kind in kinds for array in arrays)

    return accepts


def with_dtype(*names: str) -> Callable[[Call], bool]:
    """Accept calls that ask for one of these dtypes."""
    return lambda given: given.kwargs.get("dtype") in names


@dataclass(frozen=True, slots=True)
class Difference:
    """Calls of some overloads that keyslot answers in another way than PyTorch.

    ``reason`` is what docs/ops.md says of it, ``overloads`` are names or patterns of
    names, ``seen`` matches what is found to differ, and ``example`` is a call of the
    overload ``name`` for which it does.
    """

    reason: str
    overloads: tuple[str, ...]
    seen: str
    name: str
    example: Call
    when: Callable[[Call], bool] = any_call

    def explains(self, name: str, given: Call, found: str) -> bool:
        """Whether a difference that was found is this one."""
        return (
            any(fnmatchcase(name, pattern) for pattern in self.overloads)
            and re.search(self.seen, found) is not None
            and self.when(given)
        )


_VECTOR = np.array([1.5, 2.5])
_SINGLE = _VECTOR.astype("float32")
_WHOLE = np.array([1, 2])
_SMALL = _WHOLE.astype("int8")
_FLAGS = np.array([True, False])
_COMPLEX = _VECTOR.astype("complex64")

_PROMOTION = (
    "Two arrays of different dtypes are promoted by NumPy's rules: int64 with float32 "
    "gives float64, and an array without dimensions is not weaker than others. `exp` "
    "of small integers is of low precision."
)
_FITS = (
    "A number that the dtype of an array cannot hold, such as 300 for int8, is an "
    "`OverflowError`; PyTorch wraps it around."
)
_ZERO = (
    "Integers divided by zero with `rounding_mode` give 0 and a warning; PyTorch "
    "raises."
)
_SQUARE = "`square` of a bool array is a bool array."
_CONDITION = (
    "`where` takes a condition of any dtype. An `index` array of uint8 holds indices; "
    "for PyTorch, which deprecates it, it is a mask."
)
_COMPLEX_ORDER = (
    "`max`, `maximum` and `clamp` order complex numbers, by real and then imaginary "
    "part; PyTorch refuses them."
)
_BOOL_ARITHMETIC = (
    "`sub` takes a bool array or number where the other one is none, and `div` with "
    "`rounding_mode` and `clamp` take bool arrays alone; PyTorch refuses them."
)
_DERIVED_OUT = (
    "The arrays for the results of a derived operator may have any dtypes that can "
    "hold them; PyTorch takes those of the results alone, and for `zeros_like.out` any."
)
_ARANGE = (
    "`arange` has bool and complex results; PyTorch refuses them. Given a dtype of "
    "integers, it counts with the numbers as given, PyTorch with their whole parts."
)
_FULL = (
    "`full` drops the imaginary part of a number where the dtype has none; PyTorch "
    "refuses it."
)
_INFINITE = (
    "`add` and `sub` do not multiply by an `alpha` of 1; PyTorch does, which makes NaN "
    "of the other part of a complex number with an infinite one."
)

DIFFERENCES = (
    Difference(
        _PROMOTION,
        ("add*", "sub*", "mul*", "div*", "max*", "clamp*", "where*", "cat*", "stack*"),
        r"is (float|complex|int)\d+, for PyTorch|Cannot cast ufunc",
        "mul.Tensor",
        call(_WHOLE, _SINGLE),
    ),
    Difference(
        _PROMOTION,
        ("exp",),
        r"is float16, for PyTorch float64",
        "exp",
        call(_SMALL),
    ),
    Difference(
        _FITS,
        ("*",),
        r"keyslot refuses: OverflowError",
        "add.Scalar",
        call(_SMALL, 300),
    ),
    Difference(
        _ZERO,
        ("div.Tensor_mode",),
        r"ZeroDivision",
        "div.Tensor_mode",
        Call((_WHOLE, _WHOLE - 1), {"rounding_mode": "floor"}),
        with_arrays("iu"),
    ),
    Difference(
        _SQUARE,
        ("square*",),
        r"result is bool, for PyTorch int64|can't be cast",
        "square",
        call(_FLAGS),
        with_arrays("b"),
    ),
    Difference(
        _CONDITION,
        ("where*",),
        r"expected condition to be a boolean tensor",
        "where.self",
        call(_WHOLE, _WHOLE, _WHOLE),
    ),
    Difference(
        _CONDITION,
        ("index.*",),
        r".",
        "index.Tensor",
        call(_WHOLE, [np.array([1, 0, 1], "uint8")]),
        lambda given: all(array.dtype != "int64" for array in given.args[1]),
    ),
    Difference(
        _COMPLEX_ORDER,
        ("max*", "clamp*"),
        r"PyTorch refuses: .*[Cc]omplex",
        "max",
        call(_COMPLEX),
    ),
    Difference(
        _BOOL_ARITHMETIC,
        ("sub*",),
        r"PyTorch refuses: .*bool tensor is not supported",
        "sub.Tensor",
        call(_VECTOR, _FLAGS),
    ),
    Difference(
        _BOOL_ARITHMETIC,
        ("div.*mode", "clamp*"),
        r"PyTorch refuses: .*not implemented for 'Bool'",
        "div.Tensor_mode",
        call(_FLAGS, _FLAGS, rounding_mode="floor"),
        with_arrays("b"),
    ),
    Difference(
        _DERIVED_OUT,
        ("add.Scalar_out", "mul.Scalar_out", "sum.out", "var_mean.correction_out"),
        r"PyTorch refuses: .*Expected out tensor to have dtype",
        "sum.out",
        call(_SINGLE, out=np.zeros(())),
    ),
    Difference(
        _DERIVED_OUT,
        ("zeros_like.out",),
        r"keyslot refuses: DtypeError",
        "zeros_like.out",
        call(_SINGLE, out=np.zeros(2, "int64")),
    ),
    Difference(
        _ARANGE,
        ("arange*",),
        r"PyTorch refuses: .*not implemented for '(Bool|ComplexFloat)'",
        "arange",
        call(2, dtype="bool"),
        with_dtype("bool", "complex64"),
    ),
    Difference(
        _ARANGE,
        ("arange*",),
        r"has shape",
        "arange",
        call(0.5, dtype="int8"),
        with_dtype("int8"),
    ),
    Difference(
        _FULL,
        ("full",),
        r"PyTorch refuses: .*cannot be converted",
        "full",
        call([2], 1j, dtype="float32"),
    ),
    Difference(
        _INFINITE,
        ("add*", "sub*"),
        r"result array",
        "add.Tensor",
        call(_COMPLEX.repeat(4), np.full(8, np.inf, "complex64")),
        with_arrays("c"),
    ),
)


def unexpected(name: str, calls: Iterable[Call]) -> Iterator[str]:
    """Yield calls of an overload that differ in ways which are not known, and how."""
    for given in calls:
        for found in differences(name, given):
            if not any(known.explains(name, given, found) for known in DIFFERENCES):
                yield f"{name}{given.args}, {given.kwargs}: {found}"
