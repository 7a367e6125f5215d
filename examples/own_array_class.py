"""An array class of your own behind keyslot's operators, without generating anything.

The backends PrivateUse1 to PrivateUse3 are there for classes that keyslot has never
heard of. Give one of them your name, say which class belongs to it, and register
kernels; what has no kernel goes to your fallback.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import keyslot
from keyslot import ops


@dataclass(frozen=True)
class Decibel:
    """Levels in decibel: adding them multiplies the powers they stand for."""

    levels: npt.NDArray[np.float64]


def multiply(self: Decibel, other: Decibel) -> Decibel:
    """A product of powers is a sum of levels."""
    return Decibel(self.levels + other.levels)


def via_numpy(op: keyslot.OpOverload, *args: object, **kwargs: object) -> Decibel:
    """The fallback: leave the logarithms, let NumPy do the work, come back."""
    powers = [
        10 ** (arg.levels / 10) if isinstance(arg, Decibel) else arg for arg in args
    ]
    return Decibel(10 * np.log10(op(*powers, **kwargs)))


keyslot.rename_backend("PrivateUse1", "decibel")
keyslot.register_array_type(Decibel, "decibel")
library = keyslot.Library("keyslot", "IMPL")
library.impl("mul.Tensor", multiply, "decibel")
library.fallback(via_numpy, "decibel")

a = Decibel(np.array([3.0, 10.0]))
b = Decibel(np.array([3.0, 20.0]))

print(ops.mul(a, b).levels)  # its own kernel
print(ops.add(a, b).levels.round(2))  # the fallback: 3 dB and 3 dB are 6.01 dB
print(keyslot.explain(ops.add, a, b))

try:
    ops.mul(a, np.array([1.0, 2.0]))
except keyslot.errors.MixedBackendsError as error:
    print(error)
