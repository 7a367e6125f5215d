"""Families of pointwise rules, each made of the rules that the NumPy kernels follow.

A rule remembers which dtype operands of some dtypes give, so that it costs a look-up.
Operands of one dtype and one shape, which nearly all are, take the short way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from ..numpy.families import rules_of
from ..numpy.promotion import Dtype, result_dtype
from ..numpy.rules import Rules
from ..variants import Kernel
from .sizes import Shape, broadcast
from .spec import ArraySpec, Operand

# What making a named tuple does, in two thirds of the time.
_new: Final[Callable[..., ArraySpec]] = cast(Any, tuple).__new__

#: Gives the dtype of the result of operands; raises DtypeError for what is refused.
Promotion: TypeAlias = Callable[..., Dtype]
Unary: TypeAlias = Callable[[Operand], ArraySpec]
Binary: TypeAlias = Callable[[Any, Any], ArraySpec]


def unary(kernel: Kernel) -> Unary:
    """Return the rule of an operator of one array, of one of its kernels."""
    return unary_by(rules_of(kernel).result)


def unary_by(promotion: Promotion) -> Unary:
    """Return the rule of an operator of one array whose shape the result has."""
    results: dict[Dtype, Dtype] = {}

    def rule(self: Any, /) -> ArraySpec:
        try:
            return _new(ArraySpec, (self.shape, results[self.dtype]))
        except AttributeError:  # A Python number, given where an array is expected.
            return ArraySpec((), promotion(self))
        except KeyError:
            result = results[self.dtype] = promotion(self)
            return ArraySpec(self.shape, result)

    return rule


def with_number(kernel: Kernel) -> Binary:
    """Return the rule of the overload for an array and a number, of its kernel."""
    promotion = rules_of(kernel).result
    results: dict[tuple[Dtype, type[Any]], Dtype] = {}

    def rule(self: Any, other: Any, /) -> ArraySpec:
        key: tuple[Dtype, type[Any]] = self.dtype, other.__class__
        try:
            return _new(ArraySpec, (self.shape, results[key]))
        except KeyError:
            result = results[key] = promotion(self, other)
            return ArraySpec(self.shape, result)

    return rule


def binary(kernel: Kernel) -> Binary:
    """Return the rule of an operator of two arrays, of one of its kernels."""
    return binary_by(rules_of(kernel).result)


def binary_by(promotion: Promotion) -> Binary:
    """Return the rule of an operator of two operands, whose shapes broadcast."""
    alike: dict[Dtype, Dtype] = {}
    mixed: dict[tuple[Any, ...], Dtype] = {}

    def rule(self: Any, other: Any, /) -> ArraySpec:
        try:
            dtype, other_dtype = self.dtype, other.dtype
        except AttributeError:
            # One is a Python number, given where an array is expected.
            return ArraySpec(common_shape(self, other), promotion(self, other))
        shape, other_shape = self.shape, other.shape
        try:
            if dtype is other_dtype:
                result = alike[dtype]
            else:
                # Of an array without dimensions only the category counts.
                result = mixed[dtype, other_dtype, not shape, not other_shape]
        except KeyError:
            result = promotion(self, other)
            mixed[dtype, other_dtype, not shape, not other_shape] = result
            if dtype is other_dtype:
                alike[dtype] = result
        if shape is not other_shape:
            shape = broadcast(shape, other_shape)
        return _new(ArraySpec, (shape, result))

    return rule


def by_ufunc(ufunc: Any) -> Promotion:
    """Return the promotion of an operator whose kernels are a ufunc and no more."""
    return Rules(name=ufunc.__name__, ufunc=ufunc).result


def shape_of(operand: Operand) -> Shape:
    """Return the shape of an operand, that of a number being empty."""
    shape: Shape = getattr(operand, "shape", ())
    return shape


def dtype_of(operand: Operand) -> Dtype:
    """Return the dtype of an operand by itself."""
    return result_dtype(operand)


def common_shape(*operands: Operand) -> Shape:
    """Return the shape that operands broadcast to."""
    shape: Shape = ()
    for operand in operands:
        shape = broadcast(shape, shape_of(operand)) if shape else shape_of(operand)
    return shape
