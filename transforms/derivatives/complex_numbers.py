"""Conjugates and the like, which leave real numbers as they are.

Gradients of complex numbers are PyTorch's: of a real result L they are dL/dx + i dL/dy
at the number x + iy, so that an analytic function multiplies by the conjugate of its
derivative.
"""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.writing import kind_of


def is_complex(value: Any) -> bool:
    """Whether an array or a number is complex."""
    return isinstance(value, complex) or kind_of(value) == "c"


def conj(value: Any) -> Any:
    """Return the conjugate of an array or of a number."""
    if isinstance(value, complex):
        return value.conjugate()
    return ops.conj_physical(value) if is_complex(value) else value


def real_part(value: Any) -> Any:
    """Return the real part of an array."""
    return ops.real(value) if is_complex(value) else value


def adjoint(matrix: Any) -> Any:
    """Return the conjugates of matrices, with rows and columns exchanged."""
    return conj(ops.transpose(matrix, -2, -1))


def sgn_gradient(grad: Any, self: Any, result: Any) -> Any:
    """Return the gradient of x / |x|, which is 0 at 0 and for real numbers.

    To move along the number changes nothing: only what is across it counts.
    """
    if not is_complex(self):
        return ops.zeros_like(grad)
    along = ops.mul(ops.real(ops.mul(grad, conj(result))), result)
    zero = ops.eq(self, 0)
    length = ops.abs(ops.where(zero, 1, self))
    return ops.where(zero, 0, ops.div(ops.sub(grad, along), length))
