"""dtypes of any array library, told by their names."""

from __future__ import annotations

from typing import Any

import numpy as np


def dtype_name(dtype: Any) -> str:
    """Return the name that NumPy gives to a dtype, ``float32`` for ``torch.float32``.

    The array libraries agree on these names.
    """
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else str(dtype).rpartition(".")[2]


def same_dtype(one: Any, other: Any) -> bool:
    """Whether two dtypes, of whatever libraries, hold the same numbers."""
    return one is other or dtype_name(one) == dtype_name(other)


def is_dtype(value: Any) -> bool:
    """Whether a value is a dtype of NumPy or PyTorch, or one of NumPy's classes."""
    if isinstance(value, type):
        return issubclass(value, np.generic)
    # PyTorch's, which is not imported for this.
    named = type(value).__module__ == "torch" and type(value).__name__ == "dtype"
    return isinstance(value, np.dtype) or named
