"""Products of vectors, matrices and arrays of matrices, made of `mm` and `bmm`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError, DtypeError
from ...runtime.writing import can_hold
from ..dtypes import is_bool
from ..variants import out
from .dims import broadcast, each_once


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


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Kernel of linear."""
    if bias is None:
        return ops.matmul(input, ops.t(weight))
    if input.ndim == 2:
        return ops.addmm(bias, input, ops.t(weight))
    product = ops.matmul(input, ops.t(weight))
    if weight.ndim == 2 and bias.dtype != product.dtype:
        raise DtypeError(
            f"bias has dtype {bias.dtype}, the product has dtype {product.dtype}"
        )
    if not can_hold(product, bias):
        raise DtypeError(
            f"bias has dtype {bias.dtype}, which the product's {product.dtype} cannot"
            " hold"
        )
    # Expanded, for the bias must not make the result larger.
    spread = ops.expand(bias, product.shape)
    return ops.add(product, ops.to(spread, product.dtype))


def tensordot(
    self: Any, other: Any, dims_self: Sequence[int], dims_other: Sequence[int]
) -> Any:
    """Kernel of tensordot."""
    if len(dims_self) != len(dims_other):
        raise ArgumentValueError(
            f"dims_self names {len(dims_self)} dimensions, dims_other {len(dims_other)}"
        )
    one, two = each_once("dims_self", dims_self, self.ndim), each_once(
        "dims_other", dims_other, other.ndim
    )
    rows = [dim for dim in range(self.ndim) if dim not in one]
    columns = [dim for dim in range(other.ndim) if dim not in two]
    inner = [self.shape[dim] for dim in one]
    if inner != [other.shape[dim] for dim in two]:
        raise ArgumentValueError(
            f"the dimensions {dims_self} of shape {tuple(self.shape)} have other sizes"
            f" than {dims_other} of {tuple(other.shape)}"
        )
    sizes = [self.shape[dim] for dim in rows]
    product = ops.mm(
        ops.reshape(ops.permute(self, [*rows, *one]), [prod(sizes), prod(inner)]),
        ops.reshape(
            ops.permute(other, [*two, *columns]),
            [prod(inner), prod(other.shape[dim] for dim in columns)],
        ),
    )
    return ops.reshape(product, [*sizes, *(other.shape[dim] for dim in columns)])


def trace(self: Any) -> Any:
    """Kernel of trace."""
    _check_ndim("trace", "a matrix", (self, 2))
    if is_bool(self):
        raise DtypeError("trace sums numbers, and bools are none")
    return ops.sum(ops.diagonal(self))


def norm(self: Any, p: Any = 2) -> Any:
    """Kernel of norm.Scalar."""
    return ops.linalg_vector_norm(self, p)


def norm_dim(self: Any, p: Any, dim: Any, keepdim: bool = False) -> Any:
    """Kernel of norm.ScalarOpt_dim."""
    return ops.linalg_vector_norm(self, 2 if p is None else p, dim, keepdim)


mv_out, dot_out, outer_out, matmul_out = (
    out(mv),
    out(dot),
    out(outer, casting=True),
    out(matmul),
)


def _check_ndim(name: str, wanted: str, *operands: tuple[Any, int]) -> None:
    if any(operand.ndim != ndim for operand, ndim in operands):
        shapes = " and ".join(str(tuple(operand.shape)) for operand, _ in operands)
        raise ArgumentValueError(f"{name} takes {wanted}; the shapes are {shapes}")
