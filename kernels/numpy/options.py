"""What creation operators are told about the array besides its shape and dtype."""

from __future__ import annotations

from typing import Any, Final

from ...runtime.errors import ArgumentValueError

#: NumPy's word for each memory format: K keeps the order of the dimensions in memory.
_ORDERS: Final = {None: "K", "preserve_format": "K", "contiguous_format": "C"}


def check_place(layout: Any, device: Any, pin_memory: bool | None) -> None:
    """Refuse what a NumPy array cannot be. Words of PyTorch are read by their text."""
    if layout is not None and _word(layout) != "strided":
        raise ArgumentValueError(f"layout is {layout!r}; a NumPy array is strided")
    if device is not None and str(device).lower() not in ("cpu", "numpy"):
        raise ArgumentValueError(f"device is {device!r}; a NumPy array is on the cpu")
    if pin_memory:
        raise ArgumentValueError("pin_memory is True; NumPy does not pin memory")


def as_order(memory_format: Any) -> Any:
    """Return NumPy's word for a memory format."""
    word = None if memory_format is None else _word(memory_format)
    try:
        return _ORDERS[word]
    except KeyError:
        formats = "'preserve_format' or 'contiguous_format'"
        raise ArgumentValueError(
            f"memory_format is {memory_format!r}; for NumPy it can be {formats}"
        ) from None


def check_contiguous(memory_format: Any) -> None:
    """Refuse a memory format that is not that of a new NumPy array."""
    if memory_format is not None and _word(memory_format) != "contiguous_format":
        raise ArgumentValueError(
            f"memory_format is {memory_format!r}; a new NumPy array has"
            " 'contiguous_format'"
        )


def _word(argument: object) -> str:
    return str(argument).removeprefix("torch.")
