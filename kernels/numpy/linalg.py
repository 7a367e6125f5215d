"""Kernels that multiply matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ..shaped import Shaped
from ..variants import in_place, out
from .arrays import Array, Scalar, broadcast, check_dtype, check_shape
from .dtypes import as_number


def mm(self: Array, mat2: Array) -> Any:
    """Kernel of mm."""
    check_operands(self, mat2, 2)
    # For two matrices the same as matmul, which takes twice as long for small ones.
    return self.dot(mat2)


def mm_out(self: Array, mat2: Array, *, out: Array) -> Any:
    """Kernel of mm.out."""
    check_operands(self, mat2, 2)
    check_shape(out, (self.shape[0], mat2.shape[1]))
    check_dtype(out, self.dtype)
    return np.matmul(self, mat2, out)


def bmm(self: Array, mat2: Array) -> Any:
    """Kernel of bmm."""
    check_operands(self, mat2, 3)
    return np.matmul(self, mat2)


def bmm_out(self: Array, mat2: Array, *, out: Array) -> Any:
    """Kernel of bmm.out."""
    check_operands(self, mat2, 3)
    check_shape(out, (*self.shape[:2], mat2.shape[2]))
    check_dtype(out, self.dtype)
    return np.matmul(self, mat2, out)


def addmm(
    self: Array, mat1: Array, mat2: Array, *, beta: Scalar = 1, alpha: Scalar = 1
) -> Any:
    """Kernel of addmm."""
    check_operands(mat1, mat2, 2)
    check_summand(self, mat1)
    shape = (mat1.shape[0], mat2.shape[1])
    if self.shape != shape:
        broadcast(self, shape, "self")
    # With beta or alpha 0 what that multiplies is left out, its NaNs and all.
    if alpha == 0:
        result = np.zeros(shape, self.dtype)
    else:
        result = _scaled(np.matmul(mat1, mat2), alpha, "alpha")
    if beta != 0:
        result += self if beta == 1 else _scaled(self, beta, "beta")
    return result


addmm_ = in_place(addmm)
addmm_out = out(addmm)


def check_summand(self: Shaped, matrix: Shaped) -> None:
    """Raise DtypeError unless what is added to a product has its dtype."""
    if self.dtype != matrix.dtype:
        raise DtypeError(
            f"self has dtype {self.dtype}, the matrices have {matrix.dtype};"
            " they must be equal"
        )


def _scaled(array: Array, factor: Scalar, name: str) -> Array:
    """Return the array multiplied by a number, which takes on its dtype."""
    if factor == 1:
        return array
    scaled: Array = np.multiply(array, as_number(factor, array.dtype, name))
    return scaled


def check_operands(first: Shaped, second: Shaped, ndim: int) -> None:
    """Refuse operands that are not matrices, or arrays of matrices, that fit."""
    one, two = first.shape, second.shape
    if (
        len(one) != ndim
        or len(two) != ndim
        or one[-1] != two[-2]
        or (ndim == 3 and one[0] != two[0])
    ):
        kind = "matrices" if ndim == 2 else "arrays of as many matrices"
        raise ArgumentValueError(
            f"shapes {one} and {two} cannot be multiplied; two {kind} can, where the"
            " rows of the first are as long as the columns of the second"
        )
    dtype = first.dtype
    if dtype is not second.dtype and dtype != second.dtype:
        raise DtypeError(
            f"the operands have dtypes {dtype} and {second.dtype}; they must be equal"
        )
    if dtype.kind == "b" and 0 not in one and 0 not in two:
        raise DtypeError("bool matrices are not multiplied; convert them to integers")
