"""A kernel at an autograd key that does something of its own and goes on below it.

``with_keyset`` hands a kernel the key set of the call; ``keyset.below(key)`` is what
comes after it, and ``op.redispatch`` goes there. This is how autograd, batching and
functionalizing kernels are built; here the kernel only counts multiplications.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import keyslot
from keyslot import DispatchKey, DispatchKeySet, Library, ops

multiplications = 0


@keyslot.with_keyset
def counting(keyset: DispatchKeySet, self: Any, other: Any) -> Any:
    """Count, then run whatever comes below autograd."""
    global multiplications
    multiplications += int(np.broadcast(self, other).size)
    below = keyset.below(DispatchKey.AutogradNumPy)
    return ops.mul.Tensor.redispatch(below, self, other)


x = np.arange(6.0).reshape(2, 3)
with Library("keyslot", "IMPL") as library:
    library.impl("mul.Tensor", counting, "AutogradNumPy")
    ops.mul(x, x)
    # A composite reaches the kernel too, for it is written over operators.
    ops.square(x)
    print("multiplications:", multiplications)

    # Code that runs below autograd is not counted.
    with keyslot.below_autograd():
        ops.mul(x, x)
    print("multiplications:", multiplications)

    print(ops.mul.Tensor.table["AutogradNumPy"])

# The library is closed: calls go straight to the kernel for NumPy again.
ops.mul(x, x)
print("multiplications:", multiplications)
