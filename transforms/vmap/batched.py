"""`BatchedTensor`: what a function under `vmap` sees of an argument that is a batch."""

from __future__ import annotations

from typing import Any, Final

from ...generated.keys import SPACE
from ...runtime.errors import DataNeededError
from ..layers import LAYER_BITS
from ..tensor import Tensor, backend_bits

_BITS: Final = LAYER_BITS | SPACE.bit("Batched")


class BatchedTensor(Tensor):
    """One item of a batch, standing for all of them.

    ``value`` has the dimension of the batch before all others; ``shape`` leaves it out.
    """

    __slots__ = ()

    @property
    def shape(self) -> Any:
        """The sizes of the dimensions of one item."""
        return self.value.shape[1:]

    @property
    def ndim(self) -> int:
        """How many dimensions one item has."""
        return len(self.value.shape) - 1

    def elements(self, what: str) -> Any:
        """Raise DataNeededError: each item has its own."""
        why = (
            "each item of the batch has its own: ask outside of vmap, or write it with"
            " operators, as with where"
        )
        raise DataNeededError(what, why)


def batched(value: Any, level: int) -> BatchedTensor:
    """Return a batch as a Tensor of a level; its first dimension is that of items."""
    made = BatchedTensor.__new__(BatchedTensor)
    made.bits = backend_bits(value) | _BITS
    made.value = value
    made.level = level
    made.edge = None
    made.counter = None
    made.extra = None
    return made
