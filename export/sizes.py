"""Symbolic numbers of PyTorch, in the form in which operators here take them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import torch

from ..runtime.symbols import SymbolicFloat, SymbolicInt

#: Methods of numbers that PyTorch's symbolic numbers have with two operands.
_BINARY: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
)
_REFLECTED: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_UNARY: Final = ("neg", "pos", "abs")


class TorchNumber:
    """A symbolic number of PyTorch: all that is asked of it, PyTorch is asked."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


class TorchInt(TorchNumber, SymbolicInt):
    """A symbolic integer of PyTorch, such as a size."""

    __slots__ = ()

    def __index__(self) -> int:
        return int(self.value)


class TorchFloat(TorchNumber, SymbolicFloat):
    """A symbolic float of PyTorch."""

    __slots__ = ()


def symbol(value: Any) -> Any:
    """Return a symbolic number of PyTorch in our form; the rest as it is.

    Truth values are left as they are: ``bool`` is all that is asked of them.
    """
    if isinstance(value, torch.SymInt):
        return TorchInt(value)
    return TorchFloat(value) if isinstance(value, torch.SymFloat) else value


def torch_symbol(value: Any) -> Any:
    """Return a symbolic number in the form of PyTorch; the rest as it is."""
    return value.value if isinstance(value, TorchNumber) else value


def _method(function: Callable[..., Any], reflected: bool = False) -> Any:
    """Return a method that asks PyTorch's numbers."""

    def method(self: TorchNumber, *others: Any) -> Any:
        operands = [self.value, *map(torch_symbol, others)]
        return symbol(function(*reversed(operands) if reflected else operands))

    return method


for _name in (*_BINARY, *_UNARY):
    setattr(TorchNumber, f"__{_name}__", _method(getattr(operator, _name)))
for _name in _REFLECTED:
    _reflected = _method(getattr(operator, _name), reflected=True)
    setattr(TorchNumber, f"__r{_name}__", _reflected)
