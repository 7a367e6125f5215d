"""Families of pointwise rules, each made of the rules that the NumPy kernels follow.

A rule remembers which dtype operands of some dtypes give, so that it costs a look-up.
Operands of one dtype and one shape, which nearly all are, take the short way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..numpy.families import Rules, rules_of
from ..numpy.promotion import Dtype, number_dtype, result_dtype
from ..shaped import Shaped
from ..variants import Kernel
from .sizes import Shape, broadcast
from .spec import ArraySpec, Operand

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
            return ArraySpec(self.shape, results[self.dtype])
        except AttributeError:  # A Python number, given where an array is expected.
            return ArraySpec((), promotion(self))
        except KeyError:
            result = results[self.dtype] = promotion(self)
            return ArraySpec(self.shape, result)

    return rule


def binary(kernel: Kernel) -> Binary:
    """Return the rule of an operator of two operands, of one of its kernels.

    Either can be a Python number, so it is the rule of the overload for numbers too.
    """
    return binary_by(rules_of(kernel).result)


def binary_by(promotion: Promotion) -> Binary:
    """Return the rule of an operator of two operands, whose shapes broadcast."""
    alike: dict[Dtype, Dtype] = {}
    results: dict[tuple[Any, ...], Dtype] = {}

    def rule(self: Any, other: Any, /) -> ArraySpec:
        try:
            dtype = self.dtype
            if dtype is other.dtype:
                result = alike[dtype]
                shape = self.shape
                other_shape = other.shape
                if shape is not other_shape:
                    shape = broadcast(shape, other_shape)
                return ArraySpec(shape, result)
        except AttributeError:
            pass  # One is a Python number, or given where an array is expected.
        except KeyError:
            alike[self.dtype] = promotion(self, other)
        key = (_kind(self), _kind(other))
        try:
            result = results[key]
        except KeyError:
            result = results[key] = promotion(self, other)
        return ArraySpec(broadcast(shape_of(self), shape_of(other)), result)

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


def _kind(operand: Shaped | Any) -> Any:
    """Return all that promotion asks of an operand: dtype and rank."""
    dtype = getattr(operand, "dtype", None)
    return number_dtype(operand) if dtype is None else (dtype, not operand.shape)
