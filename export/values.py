"""Values that are no tensors, on their way between PyTorch and operators here."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from ..runtime.errors import DtypeError

#: Dtypes that PyTorch and NumPy both have, under one name.
_SHARED: Final = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
_TO_NUMPY: Final = {getattr(torch, name): np.dtype(name) for name in _SHARED}
_TO_TORCH: Final = {ours: theirs for theirs, ours in _TO_NUMPY.items()}


def numpy_dtype(dtype: torch.dtype, where: str, remedy: str) -> np.dtype[Any]:
    """Return NumPy's dtype for one of PyTorch's.

    Raises DtypeError where NumPy has none, as for bfloat16; ``where`` says what has it,
    and ``remedy`` what to do.
    """
    found = _TO_NUMPY.get(dtype)
    if found is None:
        name = str(dtype).removeprefix("torch.")
        raise DtypeError(f"{where} is {name}, which NumPy does not have{remedy}")
    return found


def torch_dtype(dtype: Any, where: str) -> torch.dtype:
    """Return PyTorch's dtype for one of NumPy's.

    Raises DtypeError where PyTorch has none.
    """
    found: torch.dtype | None = _TO_TORCH.get(np.dtype(dtype).newbyteorder("="))
    if found is None:
        raise DtypeError(f"{where} has dtype {dtype}, which PyTorch does not have")
    return found


def text_of(value: Any) -> Any:
    """Return devices, layouts and memory formats as text; the rest as it is."""
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return str(value).removeprefix("torch.")
    return value


def number_of(value: Any) -> Any:
    """Return a number of NumPy as one of Python; the rest as it is."""
    return value.item() if isinstance(value, np.generic) else value
