"""Two modes: one that logs every call, and one that counts floating-point operations.

A mode that is entered sees every call of its thread, after gradients and batches have
become calls of operators. It decides what each call does; both modes here let the call
happen. The counter says what an operator costs with a kernel of its own for each kind
of product of matrices, and tells pointwise operators by their tag.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import numpy as np

from keyslot import OpOverload, ops
from keyslot.transforms import DispatchMode, MetaTensor, grad, vmap


class LoggingMode(DispatchMode):
    """Prints the operators that are called, with the shapes of their arrays."""

    def __keyslot_dispatch__(
        self, op: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        shapes = [tuple(arg.shape) for arg in args if hasattr(arg, "shape")]
        print(f"  {op.name}: {', '.join(map(str, shapes))}")
        # The mode is not in force in here: this goes on to whatever comes next.
        return op(*args, **kwargs)


class FlopCounter(DispatchMode):
    """Counts the floating-point operations of what is called, by operator."""

    def __init__(self) -> None:
        super().__init__()
        self.flops: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """All operations that have been counted."""
        return self.flops.total()

    def __keyslot_dispatch__(
        self, op: OpOverload, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Count one operation for each element that a pointwise operator returns."""
        result = op(*args, **kwargs)
        if "pointwise" in op.tags:
            self.flops[op.name] += prod(result.shape)
        return result


@FlopCounter.kernel(ops.mm.default)
def count_mm(mode: FlopCounter, self: Any, mat2: Any) -> Any:
    """A product of (n, k) and (k, m): n * m sums of k products."""
    mode.flops["keyslot::mm"] += 2 * prod(self.shape) * mat2.shape[1]
    return ops.mm(self, mat2)


@FlopCounter.kernel(ops.bmm.default)
def count_bmm(mode: FlopCounter, self: Any, mat2: Any) -> Any:
    """As many products as the batch has items."""
    mode.flops["keyslot::bmm"] += 2 * prod(self.shape) * mat2.shape[2]
    return ops.bmm(self, mat2)


@FlopCounter.kernel(ops.addmm.default)
def count_addmm(
    mode: FlopCounter, self: Any, mat1: Any, mat2: Any, *, beta: Any, alpha: Any
) -> Any:
    """A product, and a sum for each of its elements."""
    count = (2 * mat1.shape[1] + 1) * mat1.shape[0] * mat2.shape[1]
    mode.flops["keyslot::addmm"] += count
    return ops.addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def layer(weight: Any, bias: Any, x: Any) -> Any:
    """A layer of a network; ``matmul`` is a composite, which becomes ``mm``."""
    return ops.sum(ops.relu(ops.add(ops.matmul(x, weight), bias)))


weight, bias, x = np.ones((64, 32)), np.zeros(32), np.ones((8, 64))

print("What a layer calls:")
with LoggingMode():
    layer(weight, bias, x)

print("What its gradient costs:")
with FlopCounter() as counter:
    grad(layer, argnums=(0, 1))(weight, bias, x)
for name, count in counter.flops.most_common(3):
    print(f"  {name}: {count}")

# Forward, and for the gradient of the weight: each 8 * 64 * 32 products and sums.
assert counter.flops["keyslot::mm"] == 2 * (2 * 8 * 64 * 32)

print("What eight gradients cost, one for each row:")
with FlopCounter() as counter:
    vmap(grad(layer), in_dims=(None, None, 0))(weight, bias, x)
print(f"  {counter.total} operations")

# Shapes are enough: abstract arrays as large as one likes, and nothing is computed.
print("What a large product would cost:")
large = MetaTensor((100_000, 100_000), "float32")
with FlopCounter() as counter:
    ops.addmm(large, large, large)
print(f"  {counter.total:.3g} operations")
