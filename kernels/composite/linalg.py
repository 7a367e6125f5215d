"""Products of vectors, matrices and arrays of matrices, made of `mm` and `bmm`."""

from __future__ import annotations

from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError
from ..variants import out
from .dims import broadcast


def mv(self: Any, vec: Any) -> Any:
    """Kernel of mv."""
    _check_ndim("mv", "a matrix and a vector", (self, 2), (vec, 1))
    return ops.squeeze(ops.mm(self, ops.unsqueeze(vec, 1)), 1)


def dot(self: Any, tensor: Any) -> Any:
    """Kernel of dot."""
    _check_ndim("dot", "two vectors", (self, 1), (tensor, 1))
    return ops.view(ops.mm(ops.unsqueeze(self, 0), ops.unsqueeze(tensor, 1)), [])


def outer(self: Any, vec2: Any) -> Any:
    """Kernel of outer."""
    _check_ndim("outer", "two vectors", (self, 1), (vec2, 1))
    return ops.mul(ops.unsqueeze(self, 1), vec2)


def matmul(self: Any, other: Any) -> Any:
    """Kernel of matmul."""
    match self.ndim, other.ndim:
        case (0, _) | (_, 0):
            raise ArgumentValueError(
                f"matmul takes arrays with dimensions; the shapes are {self.shape} and"
                f" {other.shape}"
            )
        case 1, 1:
            return ops.dot(self, other)
        case 2, 1:
            return ops.mv(self, other)
        case 2, 2:
            return ops.mm(self, other)
        case 1, _:
            return ops.squeeze(ops.matmul(ops.unsqueeze(self, 0), other), -2)
        case _, 1:
            return ops.squeeze(ops.matmul(self, ops.unsqueeze(other, 1)), -1)
        case _, 2:
            return _by_one_matrix(self, other)
        case _:
            return _in_pairs(self, other)


def _by_one_matrix(self: Any, matrix: Any) -> Any:
    """Multiply all matrices of an array by one, as if they were a tall one."""
    *sizes, inner = self.shape
    product = ops.mm(ops.reshape(self, [prod(sizes), inner]), matrix)
    return ops.view(product, [*sizes, matrix.shape[1]])


def _in_pairs(self: Any, other: Any) -> Any:
    """Multiply arrays of matrices, which are repeated to be equally many."""
    sizes = broadcast(self.shape[:-2], other.shape[:-2])
    factors = [
        ops.reshape(
            ops.expand(factor, [*sizes, *factor.shape[-2:]]),
            [prod(sizes), *factor.shape[-2:]],
        )
        for factor in (self, other)
    ]
    rows, columns = self.shape[-2], other.shape[-1]
    return ops.view(ops.bmm(*factors), [*sizes, rows, columns])


mv_out, dot_out, outer_out, matmul_out = out(mv), out(dot), out(outer), out(matmul)


def _check_ndim(name: str, wanted: str, *operands: tuple[Any, int]) -> None:
    if any(operand.ndim != ndim for operand, ndim in operands):
        shapes = " and ".join(str(tuple(operand.shape)) for operand, _ in operands)
        raise ArgumentValueError(f"{name} takes {wanted}; the shapes are {shapes}")
