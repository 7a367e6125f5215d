"""Families of pointwise kernels: the kernels of one operator, made of one ufunc.

A ufunc does by itself what is asked where its operands have one dtype, and where they
are one array and Python numbers, which are weak for NumPy too. That is the short way
through a kernel. On the long way the dtype is found by the rules of PyTorch, and the
ufunc is told to compute in it.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from ..variants import Kernel
from .arrays import Array, Scalar, check_broadcast, check_shape
from .promotion import NUMBERS, as_array
from .refusals import operator_name, unfit_dtype, unfit_shape
from .rules import Rules, Ufunc

# Nearly all arrays have one of these, which no operator but those of integers refuses
# or converts. To ask for these two is quicker than to read the kind of a dtype.
_DOUBLE: Final = np.dtype("float64")
_SINGLE: Final = np.dtype("float32")

#: The kernels of an operator: of the functional overload, the in-place and the out one.
Kernels: TypeAlias = tuple[Kernel, Kernel, Kernel]
_Made = TypeVar("_Made", bound=tuple[Kernel, ...])


def unary(
    ufunc: Ufunc, refused: str = "", *, exact_out: bool = True, **rules: Any
) -> Kernels:
    """Return the kernels of an operator of one array; ``rules`` are those of Rules.

    Where nothing is refused and the ufunc does all by itself it is the first of them.
    """
    made = Rules(
        name=operator_name(ufunc),
        ufunc=ufunc,
        refused=refused,
        exact_out=exact_out,
        **rules,
    )
    indirect = made.indirect
    # Without `out` the function that is called like a ufunc can be called as it is.
    function: Ufunc = getattr(ufunc, "__wrapped__", ufunc)
    assert "f" not in indirect

    def new(self: Array, /) -> Any:
        dtype = self.dtype
        if dtype is _DOUBLE or dtype is _SINGLE or dtype.kind not in indirect:
            return function(self)
        return made.compute(self)

    def in_place(self: Array, /) -> Any:
        dtype = self.dtype
        if dtype is _DOUBLE or dtype is _SINGLE or dtype.kind not in indirect:
            try:
                return ufunc(self, self)
            except TypeError as error:
                raise unfit_dtype(made.name, self.dtype) from error
        return made.write("self", self, self)

    def out(self: Array, /, *, out: Array) -> Any:
        try:
            dtype = self.dtype
        except AttributeError:  # A Python number, given where an array is expected.
            self = as_array(self)
            dtype = self.dtype
        direct = dtype is _DOUBLE or dtype is _SINGLE or dtype.kind not in indirect
        if direct and dtype is out.dtype and self.shape == out.shape:
            try:
                return ufunc(self, out)
            except TypeError as error:
                raise unfit_dtype(made.name, dtype) from error
        check_shape(out, self.shape)
        return made.write("out", out, self)

    return named(made, (new if indirect else ufunc, in_place, out))


def floating_unary(ufunc: Ufunc, refused: str = "") -> Kernels:
    """Return the kernels of an operator that computes integers in floating point."""
    return unary(ufunc, refused, floating=True, exact_out=False)


def binary(ufunc: Ufunc, refused: str = "", **rules: Any) -> Kernels:
    """Return the kernels of an operator of two arrays; ``rules`` are those of Rules."""
    made = Rules(name=operator_name(ufunc), ufunc=ufunc, refused=refused, **rules)
    indirect = made.indirect

    def new(self: Array, other: Array, /) -> Any:
        try:
            if self.dtype is other.dtype:
                return ufunc(self, other)
        except AttributeError:
            pass  # One is a Python number, given where an array is expected.
        except TypeError as error:
            raise unfit_dtype(made.name, self.dtype) from error
        return made.compute(self, other)

    def choosy(self: Array, other: Array, /) -> Any:
        try:
            dtype = self.dtype
            if dtype is other.dtype:
                if dtype is _DOUBLE or dtype is _SINGLE or dtype.kind not in indirect:
                    return ufunc(self, other)
                if dtype.kind in "iu" and made.integers is not None:
                    return made.integers(self, other)
        except AttributeError:
            pass  # One is a Python number, given where an array is expected.
        return made.compute(self, other)

    def in_place(self: Array, other: Array, /) -> Any:
        dtype = self.dtype
        try:
            if dtype is getattr(other, "dtype", None) and dtype.kind not in indirect:
                return ufunc(self, other, self)
            return made.write("self", self, self, other)
        except ValueError as error:
            raise unfit_shape(self, other, error) from None

    def out(self: Array, other: Array, /, *, out: Array) -> Any:
        dtype = out.dtype
        try:
            same = self.dtype is other.dtype is dtype and dtype.kind not in indirect
            # The ufunc refuses another operand that does not broadcast to this shape.
            if same and self.shape == out.shape:
                return ufunc(self, other, out)
        except AttributeError:
            pass  # One is a Python number, given where an array is expected.
        check_broadcast(out, self, other)
        return made.write("out", out, self, other)

    # Choosy is in a hurry with floating-point arrays, and cannot refuse them.
    chooses = bool(indirect) and "f" not in indirect
    return named(made, (choosy if chooses else new, in_place, out))


def with_number(ufunc: Ufunc, refused: str = "", **rules: Any) -> tuple[Kernel, Kernel]:
    """Return the kernels of an operator of one array and a number: new and in place.

    An operator that takes all dtypes needs only the second: the first is the ufunc.
    """
    made = Rules(name=operator_name(ufunc), ufunc=ufunc, refused=refused, **rules)
    indirect = made.indirect
    numbers = frozenset(t for t, dtype in NUMBERS.items() if dtype.kind not in indirect)

    def new(self: Array, other: Scalar, /) -> Any:
        dtype = self.dtype
        if type(other) in numbers and (dtype is _DOUBLE or dtype.kind not in indirect):
            try:
                return ufunc(self, other)
            except TypeError as error:
                raise unfit_dtype(made.name, dtype) from error
        return made.compute(self, other)

    def in_place(self: Array, other: Scalar, /) -> Any:
        if self.dtype.kind not in indirect and type(other) in numbers:
            try:
                return ufunc(self, other, self)
            except TypeError:
                pass  # The result has another dtype; whether it fits is seen below.
        return made.write("self", self, self, other)

    return named(made, (new, in_place))


def named(rules: Rules, kernels: _Made) -> _Made:
    """Return kernels, those made by builders named after the operator."""
    operator = rules.name
    for kernel in kernels:
        if not isinstance(kernel, np.ufunc):
            suffix = {"in_place": "_", "number_": "_", "out": "_out"}
            kernel.__name__ = operator + suffix.get(kernel.__name__, "")
            kernel.__qualname__ = kernel.__name__
            kernel.__doc__ = f"Kernel of a pointwise operator: {operator}."
            vars(kernel)["rules"] = rules
    return kernels


def rules_of(kernel: Kernel) -> Rules:
    """Return the rules that a kernel was made of by one of the builders here."""
    rules: Rules = vars(kernel)["rules"]
    return rules
