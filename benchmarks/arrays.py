"""Arrays of two kinds and trivial kernels: dispatch is all that a call costs.

`ops.yaml` names these kernels. Each returns its first array and nothing else.
"""

from __future__ import annotations

from typing import Any


class Left:
    """The array class of the timed calls."""


class Right:
    """Another array class, so that there is something to choose."""


def first(a: Any, b: Any) -> Any:
    """Kernel of two arguments."""
    return a


def second(a: Any, b: Any) -> Any:
    """Kernel that tells itself from `first`."""
    return b


def first_out(a: Any, b: Any, *, out: Any) -> Any:
    """Kernel of an out variant."""
    return a


def first_alpha(a: Any, b: Any, *, alpha: Any) -> Any:
    """Kernel with a keyword-only argument."""
    return a


def first_times(a: Any, b: Any, times: Any) -> Any:
    """Kernel with a third positional argument."""
    return a


def first_of(arrays: Any, dim: Any) -> Any:
    """Kernel that takes a list of arrays."""
    return arrays
