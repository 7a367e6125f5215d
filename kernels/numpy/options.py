"""The options that all creation operators have: dtype, layout, device, pin_memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Final

from ...runtime.errors import ArgumentValueError
from .arrays import Array
from .dtypes import as_dtype

#: NumPy's word for each memory format: K keeps the order of the dimensions in memory.
_ORDERS: Final = {None: "K", "preserve_format": "K", "contiguous_format": "C"}

_OPTIONS: Final = ("dtype", "layout", "device", "pin_memory")


def creates(make: Callable[..., Array]) -> Callable[..., Array]:
    """Return the kernel of a creation operator, made of a function that needs a dtype.

    The function takes the NumPy dtype, or None, as ``dtype``, by name. Its default
    there is that of the operator.
    """
    old = signature(make)
    default = old.parameters["dtype"].default
    default = None if default is Parameter.empty else default

    @wraps(make)
    def create(
        *args: Any,
        dtype: Any = default,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool | None = None,
        **named: Any,
    ) -> Array:
        if layout is not None or device is not None or pin_memory:
            _check_place(layout, device, pin_memory)
        return make(*args, dtype=as_dtype(dtype), **named)

    described: Any = create
    described.__signature__ = old.replace(
        parameters=_with_options([*old.parameters.values()], default)
    )
    return create


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


def _with_options(parameters: list[Parameter], default: Any) -> list[Parameter]:
    """Put the options where the schemas have them: before a memory format."""
    options = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=default if name == "dtype" else None,
        )
        for name in _OPTIONS
    ]
    place = [parameter.name for parameter in parameters].index("dtype")
    return [*parameters[:place], *options, *parameters[place + 1 :]]


def _check_place(layout: Any, device: Any, pin_memory: bool | None) -> None:
    """Refuse what a NumPy array cannot be. Words of PyTorch are read by their text."""
    if layout is not None and _word(layout) != "strided":
        raise ArgumentValueError(f"layout is {layout!r}; a NumPy array is strided")
    if device is not None and str(device).lower() not in ("cpu", "numpy"):
        raise ArgumentValueError(f"device is {device!r}; a NumPy array is on the cpu")
    if pin_memory:
        raise ArgumentValueError("pin_memory is True; NumPy does not pin memory")


def _word(argument: object) -> str:
    return str(argument).removeprefix("torch.")
