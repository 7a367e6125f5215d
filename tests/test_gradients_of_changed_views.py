"""Gradients of views whose base has been written to since they were made."""

from __future__ import annotations

from typing import Any

import numpy as np

import keyslot
from keyslot.transforms import Tensor, grad, jacrev

from .arrays import matrix, same

ops: Any = keyslot.ops


def changed_row(x: Any) -> Any:
    """Return a view that is written to by way of another one."""
    made = ops.mul(x, 2)
    row = ops.select(made, 0, 1)
    ops.mul_(ops.select(made, 1, 2), 3)
    return row


def test_view_that_is_a_result_is_differentiated_as_it_is_now() -> None:
    """Nothing needs to be called with it for that."""
    expected = np.zeros((3, 2, 3))
    expected[[0, 1, 2], 1, [0, 1, 2]] = [2, 2, 6]
    same(jacrev(changed_row)(matrix()), expected)
    leaf = Tensor(matrix(), requires_grad=True)
    changed_row(leaf).backward(np.ones(3))
    assert leaf.grad is not None
    same(leaf.grad.value, expected.sum(0))


def test_view_that_repeats_elements() -> None:
    """Each of them has a part in the gradient of the one element."""

    def total(x: Any) -> Any:
        made = ops.mul(x, x)
        repeated = ops.expand(made, [2, 2, 3])
        ops.mul_(made, 2)
        return ops.sum(repeated)

    same(grad(total)(matrix()), 8 * matrix())
