"""What an entry says for PyTorch where its rules say something else."""

from __future__ import annotations

from typing import Any

import torch


def same(self: Any) -> Any:
    """Return the sizes of an array."""
    return self.shape


def batched(info: Any, in_dims: Any, self: Any) -> Any:
    """Compute a batch as one array."""
    del info
    return torch.ops.ruled.told(self), in_dims[0]


def halved(self: Any) -> Any:
    """Divide a tensor by two."""
    return self / 2
