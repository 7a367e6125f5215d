"""What kernels ask of the dtype of an array, whatever library it is of."""

from __future__ import annotations

from typing import Any

from ..runtime.errors import DtypeError
from ..runtime.writing import kind_of


def check_floating(name: str, self: Any) -> None:
    """Raise DtypeError unless an array holds real floating-point numbers."""
    if kind_of(self) not in ("f", None):
        raise DtypeError(f"{name} takes floating-point arrays, not {self.dtype}")


def check_ordered(name: str, self: Any) -> None:
    """Raise DtypeError for bool arrays and complex ones, which are not clamped."""
    if kind_of(self) in ("b", "c"):
        raise unordered(name, self)


def unordered(name: str, self: Any) -> DtypeError:
    """Return the error of an array that is not clamped."""
    return DtypeError(f"{name} takes integer and real arrays, not {self.dtype}")


def dtype_or_type(value: Any) -> str:
    """Return the dtype of an array as text; of a number the name of its type."""
    return str(getattr(value, "dtype", type(value).__name__))


def is_bool(self: Any) -> bool:
    """Whether an array is one of bools, of a library that names kinds as NumPy does."""
    try:
        kind: str = self.dtype.kind
    except AttributeError:
        return False
    return kind == "b"


def is_unsigned(self: Any) -> bool:
    """Whether an array holds integers without sign: all libraries name these alike."""
    return "uint" in str(self.dtype)


def has_dtype(self: Any, dtype: Any) -> bool:
    """Whether an array has the dtype that an argument means, a name or an object.

    A name that the array's library has besides the usual one may not be recognized.
    """
    own = self.dtype
    return bool(own == dtype) or str(own).removeprefix("torch.") == dtype
