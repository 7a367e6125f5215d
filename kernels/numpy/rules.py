"""What pointwise operators compute, and in which dtypes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, Final, TypeAlias

import numpy as np

from ...runtime.errors import DtypeError
from .arrays import Array
from .promotion import DEFAULT_FLOAT, Dtype, check_dtype, check_holds, result_dtype
from .refusals import operator_name, unfit_dtype

#: A ufunc, or a function over ufuncs that is called like one.
Ufunc: TypeAlias = Any
_INT8: Final = np.dtype("int8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What an operator computes, and in which dtypes."""

    #: The operator, as messages name it.
    name: str
    ufunc: Ufunc
    #: Kinds of dtypes that the operator does not take, once promotion is done.
    refused: str = ""
    #: Whether integers and bools are computed in floating point.
    floating: bool = False
    #: What computes integers, where the ufunc does something else with them.
    integers: Ufunc = None
    #: Whether a bool operand is refused beside others of any dtype.
    no_bool: bool = False
    #: Whether ``out`` must have the very dtype of the result, as PyTorch has it.
    exact_out: bool = False

    @property
    def indirect(self) -> str:
        """Kinds of dtypes that are not for the ufunc alone."""
        kinds = self.refused
        if self.floating and _loop(self.ufunc, _INT8)[-1] is not DEFAULT_FLOAT:
            kinds += "biu"
        if self.integers is not None:
            kinds += "iu"
        if self.no_bool:
            kinds += "b"
        return kinds

    def compute(self, *operands: Any) -> Any:
        """Return the result as a new array, in the dtype that promotion gives."""
        dtype = self._dtype(operands)
        ufunc = self._ufunc_for(dtype)
        loop = _loop(ufunc, dtype)
        return ufunc(*operands, signature=loop, casting="unsafe")

    def write(self, argument: str, out: Array, *operands: Any) -> Array:
        """Write the result to ``out``, which messages call ``argument``."""
        dtype = self._dtype(operands)
        ufunc = self._ufunc_for(dtype)
        loop = _loop(ufunc, dtype)
        if self.exact_out:
            check_dtype(argument, out, loop[-1])
        check_holds(argument, out, loop[-1])
        ufunc(*operands, out=out, signature=loop, casting="unsafe")
        return out

    def result(self, *operands: Any) -> Dtype:
        """Return the dtype of the result, of which only shapes and dtypes decide.

        Raises DtypeError where ``compute`` does.
        """
        dtype = self._dtype(operands)
        return _loop(self._ufunc_for(dtype), dtype)[-1]

    def _ufunc_for(self, dtype: Dtype) -> Ufunc:
        by_integers = self.integers is not None and dtype.kind in "iu"
        return self.integers if by_integers else self.ufunc

    def _dtype(self, operands: tuple[Any, ...]) -> Dtype:
        dtype = result_dtype(*operands)
        if self.no_bool:
            check_no_bool(self.name, *operands)
        if dtype.kind in self.refused:
            raise unfit_dtype(self.name, dtype)
        return DEFAULT_FLOAT if self.floating and dtype.kind in "biu" else dtype


def check_no_bool(name: str, *operands: Any) -> None:
    """Raise DtypeError for an operand that is a bool, or an array of bools."""
    if any(result_dtype(operand).kind == "b" for operand in operands):
        raise DtypeError(f"{name} takes no bool operands")


@lru_cache(maxsize=1024)
def _loop(ufunc: Ufunc, dtype: Dtype) -> tuple[Dtype, ...]:
    """Return the dtypes of operands and result of a computation in ``dtype``.

    Raises DtypeError where the ufunc cannot compute in it.
    """
    operands = (dtype,) * ufunc.nin
    if isinstance(ufunc, np.ufunc):
        try:
            loop: tuple[Dtype, ...] = ufunc.resolve_dtypes((*operands, None))
        except TypeError:
            raise unfit_dtype(operator_name(ufunc), dtype) from None
        return loop
    return (*operands, dtype)


def like_ufunc(function: Callable[..., Any]) -> Ufunc:
    """Return a function over arrays in a form that is called like a ufunc.

    It computes in the dtype of its arguments, and what it returns has that dtype.
    """
    count = len(signature(function).parameters)

    @wraps(function)
    def call(*arguments: Any, out: Any = None, signature: Any = None, **_: Any) -> Any:
        operands: Any = arguments[:count]
        if signature is not None:
            operands = map(np.asarray, operands, signature)
        result = function(*operands)
        target = out if len(arguments) == count else arguments[count]
        if target is None:
            return result
        np.copyto(target, result, casting="unsafe")
        return target

    made: Ufunc = call
    made.nin = count
    return made
