"""Layers of neural networks, and what they are trained by.

The names of some operators begin with an underscore; they are as public as others.
"""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError
from ..dtypes import check_floating, is_bool


def softmax_int(self: Any, dim: int, dtype: Any = None) -> Any:
    """Kernel of softmax.int."""
    given = _converted(self, dtype)
    return ops._softmax(given, dim, False)  # pyright: ignore[reportPrivateUsage]


def log_softmax_int(self: Any, dim: int, dtype: Any = None) -> Any:
    """Kernel of log_softmax.int."""
    given = _converted(self, dtype)
    return ops._log_softmax(given, dim, False)  # pyright: ignore[reportPrivateUsage]


def _converted(self: Any, dtype: Any) -> Any:
    return self if dtype is None else ops.to(self, dtype)


def mse_loss(self: Any, target: Any, reduction: int = 1) -> Any:
    """Kernel of mse_loss."""
    # Bools are numbers here, and have no differences.
    if is_bool(self):
        self = ops.to(self, target.dtype)
    elif is_bool(target):
        target = ops.to(target, self.dtype)
    difference = ops.sub(self, target)
    check_floating("mse_loss", difference)
    squares = ops.mul(difference, difference)
    match reduction:
        case 0:
            return squares
        case 1:
            return ops.mean(squares)
        case 2:
            return ops.sum(squares)
        case _:
            raise ArgumentValueError(
                f"reduction is {reduction}; 0 is none, 1 the mean and 2 the sum"
            )
