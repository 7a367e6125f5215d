"""Rules of products of matrices."""

from __future__ import annotations

from typing import Any

from ..numpy.dtypes import check_number
from ..numpy.linalg import check_operands, check_summand
from ..shaped import Shaped
from .sizes import broadcast_to
from .spec import ArraySpec


def mm(self: Shaped, mat2: Shaped) -> ArraySpec:
    """Rule of mm."""
    check_operands(self, mat2, 2)
    return ArraySpec((self.shape[0], mat2.shape[1]), self.dtype)


def bmm(self: Shaped, mat2: Shaped) -> ArraySpec:
    """Rule of bmm."""
    check_operands(self, mat2, 3)
    return ArraySpec((*self.shape[:2], mat2.shape[2]), self.dtype)


def addmm(
    self: Shaped, mat1: Shaped, mat2: Shaped, *, beta: Any = 1, alpha: Any = 1
) -> ArraySpec:
    """Rule of addmm."""
    product = mm(mat1, mat2)
    check_summand(self, mat1)
    broadcast_to(self.shape, product.shape, "self")
    # With 0 what a factor multiplies is left out, and it may be of any type.
    check_number(alpha, product.dtype, "alpha")
    check_number(beta, product.dtype, "beta")
    return product
