"""Rules for PyTorch: shapes, gradients, batches, and kernels over its tensors."""

from __future__ import annotations

from typing import Any

import torch


def same(self: Any, *others: Any) -> Any:
    """Return the sizes of the first array."""
    del others
    return self.shape


def broadcast(self: Any, gate: Any, *, slope: float) -> Any:
    """Return the sizes of both arrays together."""
    del slope
    return torch.broadcast_shapes(self.shape, gate.shape)


def like_self(self: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """Return the sizes of the first array; the others are no larger."""
    del weight, bias, eps
    return self.shape


def two_numbers(self: Any) -> Any:
    """Return the sizes of two arrays without dimensions."""
    del self
    return (), ()


def joined(parts: Any) -> Any:
    """Return the sum of the lengths."""
    return (sum(part.shape[0] for part in parts), *parts[0].shape[1:])


def keep_lengths(ctx: Any, inputs: Any, output: Any) -> None:
    """Keep how long the parts were."""
    del output
    ctx.lengths = [part.shape[0] for part in inputs[0]]


def join_backward(ctx: Any, grad: Any) -> Any:
    """Return the gradient of each part."""
    return list(grad.split(ctx.lengths))


def two_halves(self: Any) -> Any:
    """Return the sizes of both halves."""
    size = self.shape[0]
    rest = self.shape[1:]
    return [(size // 2, *rest), (size - size // 2, *rest)]


def casted(self: Any, *, dtype: torch.dtype) -> Any:
    """Return a tensor where sizes do not say enough."""
    return self.new_empty(self.shape, dtype=dtype)


def ramp(size: int, *, dtype: torch.dtype | None) -> Any:
    """Return a tensor where there is none to take dtype and device of."""
    return torch.empty(size, dtype=dtype or torch.float32)


def windows(self: Any, width: int) -> Any:
    """Return one length for all windows."""
    return (self.shape[0] - width + 1,)


def count(self: Any) -> Any:
    """Return a number that is no shape."""
    return self.numel()


def gated_batched(
    info: Any, in_dims: Any, self: Any, gate: Any, *, slope: float = 1.0
) -> Any:
    """Compute a batch at once: its dimension goes first."""
    del info
    first = [
        each if dim is None else each.movedim(dim, 0)
        for each, dim in zip((self, gate), in_dims, strict=True)
    ]
    return torch.ops.exported.gated(*first, slope=slope), 0


def squared(self: Any) -> Any:
    """Compute with PyTorch's operators, whose gradients are known."""
    return self * self


def halved(self: Any) -> Any:
    """Divide a tensor by two."""
    return self / 2
