"""Rules of products of matrices."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import DtypeError
from .call import BatchedCall
from .forms import in_all_forms
from .physical import with_batch, with_ndim


@in_all_forms
def matrix_product(call: BatchedCall) -> Any:
    """Batching rule of ``mm``: as many products as the batch has items.

    With one matrix on the right for all items they are one product of a tall matrix.
    """
    if "mat2" not in call.batched:
        return ops.matmul(call.values["self"], call.values["mat2"])
    return ops.bmm(with_batch(call, "self"), with_batch(call, "mat2"))


@in_all_forms
def batch_product(call: BatchedCall) -> Any:
    """Batching rule of ``bmm``: the batch and the dimension of its own become one."""
    first, second = with_batch(call, "self"), with_batch(call, "mat2")
    merged = ops.bmm(_merged(first), _merged(second))
    return ops.view(merged, [*first.shape[:2], *merged.shape[1:]])


@in_all_forms
def added_product(call: BatchedCall) -> Any:
    """Batching rule of ``addmm``: the product, scaled, and ``self``, scaled.

    Where a factor is 0, what it multiplies is left out, as there.
    """
    values = call.values
    self, beta, alpha = values["self"], values["beta"], values["alpha"]
    product = ops.bmm(with_batch(call, "mat1"), with_batch(call, "mat2"))
    if self.dtype != product.dtype:
        raise DtypeError(
            f"self has dtype {self.dtype}, the matrices have {product.dtype};"
            " they must be equal"
        )
    if alpha != 1:
        zeros = ops.zeros_like(product)
        product = zeros if alpha == 0 else ops.add(zeros, product, alpha=alpha)
    if beta == 0:
        return product
    return ops.add(product, _expanded(call, product.shape), alpha=beta)


def _expanded(call: BatchedCall, shape: tuple[Any, ...]) -> Any:
    """Return ``self`` in the shape of the product."""
    self = call.values["self"]
    if "self" not in call.batched:
        return ops.expand(self, shape[1:])
    return ops.expand(with_ndim(self, True, 2), shape)


def _merged(array: Any) -> Any:
    """Return an array with dimensions 0 and 1 made one."""
    first, second, *others = array.shape
    return ops.reshape(array, [first * second, *others])
