"""What the memory of arrays is asked for: what it holds, and whether it is shared.

Only NumPy's arrays are asked. They are told by the module that is loaded if there is
any such array; nothing is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any


def arrays_in(value: Any) -> Iterator[Any]:
    """Yield the arrays that a value is or holds, in lists of any depth."""
    if _is_array(value):
        yield value
    elif issubclass(type(value), (list, tuple)):
        for item in value:
            yield from arrays_in(item)


def contents(value: object) -> list[object]:
    """Return what the arrays in a value hold, and in which form, to be compared."""
    return [(a.shape, a.dtype, a.tobytes()) for a in arrays_in(value)]


def share_memory(one: object, other: object) -> bool:
    """Whether an array in one value has an element in memory with one in the other."""
    numpy: Any = sys.modules.get("numpy")
    return any(
        numpy.shares_memory(array, another)
        for array in arrays_in(one)
        for another in arrays_in(other)
    )


def _is_array(value: object) -> bool:
    numpy: Any = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)
