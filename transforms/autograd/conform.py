"""Gradients in the form of what they are the gradient of."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ..arrays import converted


def conform(grad: Any, shape: Any, dtype: Any) -> Any:
    """Return a gradient in the shape and dtype of its argument.

    Where the argument was broadcast the gradient is summed, where it is real the real
    part is taken, and the dtype becomes its own: what the engine of PyTorch does with
    the gradients that its formulas return (``validate_outputs``).
    """
    if grad.dtype.kind == "c" and dtype.kind != "c":
        grad = ops.real(grad)
    # Tuples of different lengths are compared size by size, and sizes may be symbolic.
    if len(grad.shape) != len(shape) or grad.shape != shape:
        grad = sum_to(grad, shape)
    return converted(grad, dtype)


def sum_to(grad: Any, shape: Any) -> Any:
    """Return the sum over the dimensions by which ``shape`` was broadcast."""
    extra = len(grad.shape) - len(shape)
    if extra > 0:
        grad = ops.sum(grad, [*range(extra)])
    stretched = [
        n
        for n, (size, wanted) in enumerate(zip(grad.shape, shape, strict=True))
        if size is not wanted and size != wanted
    ]
    return ops.sum(grad, stretched, True) if stretched else grad
