"""The dtype argument: a NumPy dtype, its name, a scalar type of Python or NumPy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ...runtime.nearest import nearest

#: Kinds of the dtypes that arrays of numbers have: bool, integers, floats, complex.
NUMBER_KINDS: Final = "biufc"

_NAMES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
    *("uint64", "float16", "float32", "float64", "complex64", "complex128"),
)


def as_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return the NumPy dtype that an argument means; None stays None.

    Python's bool, int, float and complex are bool, int64, float64 and complex128.
    Raises DtypeError for what is no dtype, or not one of numbers.

    Example: ``as_dtype("float32")`` is ``np.dtype("float32")``.
    """
    try:
        return _KNOWN[dtype]
    except (KeyError, TypeError):
        return _read(dtype)


def as_number(number: bool | int | float | complex, dtype: Any, argument: str) -> Any:
    """Return a number in the dtype of an array; integers lose the fraction.

    Raises ArgumentValueError for a complex number where the dtype is integer or real,
    and OverflowError for one beyond the range of the dtype. ``argument`` is its name.
    """
    if isinstance(number, complex) and dtype.kind not in "bc":
        check_number(number, dtype, argument)
        number = number.real
    return dtype.type(number)


def check_number(
    number: bool | int | float | complex, dtype: Any, argument: str
) -> None:
    """Raise ArgumentValueError for a complex number where the dtype holds none."""
    if isinstance(number, complex) and number.imag and dtype.kind not in "bc":
        raise ArgumentValueError(
            f"{argument} is {number!r}; arrays of {dtype} hold no complex numbers"
        )


def _read(dtype: Any) -> np.dtype[Any]:
    try:
        read: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError):
        hint = nearest(dtype, _NAMES) if isinstance(dtype, str) else ""
        raise DtypeError(f"NumPy has no dtype {dtype!r}.{hint}") from None
    if read.kind not in NUMBER_KINDS:
        raise DtypeError(f"arrays of dtype {read} hold no numbers")
    return read


def _known() -> dict[Any, np.dtype[Any] | None]:
    # What callers give nearly always: looking it up is ten times as fast as asking.
    # PyTorch's "long", the default of `randperm`, is an int of C for NumPy.
    known: dict[Any, np.dtype[Any] | None] = {None: None, "long": np.dtype("int64")}
    for name in _NAMES:
        dtype = np.dtype(name)
        known |= {name: dtype, dtype: dtype, dtype.type: dtype}
    for scalar in (bool, int, float, complex):
        known[scalar] = np.dtype(scalar)
    return known


_KNOWN: Final = _known()
