"""Type promotion: the dtype in which operands of several dtypes are computed.

The rules are PyTorch's (``torch.result_type``, with float64 as the default dtype).
Dtypes fall into categories, bool < integers < floating point < complex, and operands
into ranks: arrays with dimensions count more than arrays without, and those more than
Python numbers. Operands of a lower rank decide only where their category is higher. So
int64 with float32 is float32, and float32 stays float32 with any number that is real.

Where PyTorch has no rule, for unsigned integers of 16 to 64 bits and for NumPy's
longdouble, promotion within a category is ``np.promote_types``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np

from ...runtime.errors import DtypeError
from .arrays import Array, Scalar

Dtype: TypeAlias = np.dtype[Any]

BOOL: Final = np.dtype("bool")
#: What integers and bools become where a result is floating point.
DEFAULT_FLOAT: Final = np.dtype("float64")

#: The category of each kind of dtypes that PyTorch has.
_CATEGORIES: Final = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
#: The dtype of each type of Python numbers.
NUMBERS: Final[dict[type, Dtype]] = {
    number: np.dtype(number) for number in (bool, int, float, complex)
}


def result_dtype(*operands: Any) -> Dtype:
    """Return the dtype in which arrays and Python numbers are computed together.

    Example: ``result_dtype(np.ones(2, "int8"), 0.5)`` is float64.
    """
    by_rank: list[Dtype | None] = [None, None, None]
    for operand in operands:
        dtype = getattr(operand, "dtype", None)
        if dtype is None:
            rank, dtype = 0, number_dtype(operand)
        else:
            rank = 2 if operand.ndim else 1
        same = by_rank[rank]
        by_rank[rank] = dtype if same is None else promoted(same, dtype)
    result: Dtype | None = None
    for dtype in by_rank:
        if dtype is not None:
            result = dtype if result is None else _outranking(dtype, result)
    assert result is not None, "there is at least one operand"
    return result


def as_array(operand: Array | Scalar) -> Array:
    """Return an operand as an array, a Python number as one without dimensions.

    Raises OverflowError for an integer beyond the range of int64.
    """
    if isinstance(operand, (np.ndarray, np.generic)):
        return operand
    return np.asarray(operand, number_dtype(operand))


@lru_cache(maxsize=1024)
def promoted(first: Dtype, second: Dtype) -> Dtype:
    """Return the dtype of two arrays of equal rank."""
    kinds = (_category(first), _category(second))
    if kinds[0] == kinds[1] or min(kinds) >= _CATEGORIES["f"]:
        return np.promote_types(first, second)
    return max(first, second, key=_category)


@lru_cache(maxsize=1024)
def real_dtype(dtype: Dtype) -> Dtype:
    """Return the dtype of the parts of complex numbers, and of others their own."""
    return np.finfo(dtype).dtype if dtype.kind == "c" else dtype


def check_holds(argument: str, out: Array, dtype: Dtype) -> None:
    """Raise DtypeError unless ``out`` can be given results of ``dtype``.

    Its category must not be lower; precision may be lost, as in PyTorch.
    """
    if out.dtype is not dtype and _category(out.dtype) < _category(dtype):
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, which cannot hold the result's {dtype}"
        )


def check_dtype(argument: str, out: Array, dtype: Dtype) -> None:
    """Raise DtypeError unless ``out`` has the dtype of the result, ``dtype``."""
    if out.dtype != dtype:
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, the result has dtype {dtype}"
        )


@lru_cache(maxsize=1024)
def _outranking(strong: Dtype, weak: Dtype) -> Dtype:
    """Return the dtype of an operand with one of a lower rank."""
    if _category(weak) <= _category(strong):
        return strong
    if strong.kind == "f":
        # Complex, of the precision that the operand of the higher rank has.
        return np.promote_types(strong, np.complex64)
    return weak


def number_dtype(number: Scalar) -> Dtype:
    """Return the dtype of a Python number, or of a symbolic one."""
    dtype = NUMBERS.get(type(number))
    if dtype is not None:
        return dtype
    # A number of a subclass. bool, itself a subclass of int, is found above.
    for cls, dtype in NUMBERS.items():
        if isinstance(number, cls):
            return dtype
    # A symbolic size, or a quotient of such: only an integer can be an index.
    return NUMBERS[int if hasattr(number, "__index__") else float]


def _category(dtype: Dtype) -> int:
    # What is no number, such as dates, is left to NumPy.
    return _CATEGORIES.get(dtype.kind, _CATEGORIES["c"])
