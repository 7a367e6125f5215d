"""`ArraySpec`: what a rule tells of the array that a kernel would return."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..shaped import Shaped
from .sizes import Shape

#: What stands for an array in a pointwise rule: a Python number is a weak operand.
Operand: TypeAlias = Shaped | bool | int | float | complex


class ArraySpec(NamedTuple):
    """The shape and the dtype of an array."""

    shape: Shape
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        """How many dimensions the array has."""
        return len(self.shape)


def alike(self: Shaped) -> ArraySpec:
    """Return the spec of an array with the shape and the dtype of another."""
    return ArraySpec(self.shape, self.dtype)
