"""Tensors of PyTorch in the form of the arrays that rules are written for."""

from __future__ import annotations

from typing import Any

import torch

from ..generated.keys import SPACE
from ..transforms.tensor import Tensor
from .sizes import symbol, torch_symbol
from .values import numpy_dtype, text_of

_TORCH = SPACE.bit("Torch")
_REMEDY = ", and rules of operators know no other dtypes: write the rule under torch:"


class TorchArray(Tensor):
    """A tensor of PyTorch, perhaps without values, whose dtype is that of NumPy.

    Its sizes may be symbolic, and are those of PyTorch then.
    """

    __slots__ = ()

    def __init__(self, value: torch.Tensor) -> None:
        self.bits = _TORCH
        self.value = value
        self.level = 0
        self.edge = None
        self.counter = None
        self.extra = None

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of its dimensions."""
        return tuple(map(symbol, self.value.shape))

    @property
    def dtype(self) -> Any:
        """The dtype of its elements.

        Raises DtypeError where NumPy has none.
        """
        return numpy_dtype(self.value.dtype, "an array", _REMEDY)


def wrapped(value: Any) -> Any:
    """Return what rules take for a value of PyTorch's; also in lists and tuples."""
    if isinstance(value, torch.Tensor):
        return TorchArray(value)
    if isinstance(value, list):
        return [*map(wrapped, value)]
    if isinstance(value, tuple):
        return tuple(map(wrapped, value))
    if isinstance(value, torch.dtype):
        return numpy_dtype(value, "an argument", _REMEDY)
    return symbol(text_of(value))


def unwrapped(value: Any) -> Any:
    """Return what PyTorch takes for the arrays of rules; also in lists and tuples."""
    if isinstance(value, TorchArray):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(unwrapped, value))
    return torch_symbol(value)
