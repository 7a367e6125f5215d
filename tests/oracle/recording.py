"""Calls of PyTorch's operators, recorded to be made again elsewhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .op_arguments import Array, Call

#: Dtypes that NumPy has too.
DTYPES = {
    getattr(torch, name)
    for name in (
        *("bool", "uint8", "int8", "int16", "int32", "int64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
#: No more memory than this behind a tensor: larger ones take long and show no more.
MOST_BYTES = 1 << 16
#: Objects of PyTorch for which keyslot takes names, and what of them is representable.
NAMED: tuple[tuple[type, Container[Any]], ...] = (
    (torch.dtype, DTYPES),
    (torch.layout, {torch.strided}),
    (torch.device, {torch.device("cpu")}),
    (torch.memory_format, {torch.contiguous_format, torch.preserve_format}),
)


class NotRepresentableError(Exception):
    """A call has an argument that cannot be given to NumPy."""


class Recorder(TorchDispatchMode):  # type: ignore[misc] # unknown without torch
    """Records calls of some overloads: different ones, at most so many of a kind.

    Calls of an overload are of one kind if their tensors have the same dtypes.
    """

    def __init__(self, names: Container[str], most: int) -> None:
        super().__init__()
        self.calls: dict[str, list[Call]] = {}
        self._names = names
        self._most = most
        self._kinds: Counter[tuple[Any, ...]] = Counter()
        self._seen: set[bytes] = set()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Record a call, and make it."""
        namespace, _, name = func.name().partition("::")
        if namespace == "aten":
            self.record(name, args, kwargs or {})
        return func(*args, **(kwargs or {}))

    def record(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Record a call with its tensors as they are now, if it is one of those."""
        if name not in self._names:
            return
        try:
            given = to_numpy(args, kwargs)
        except NotRepresentableError:
            return
        kind = (name, *dtypes(given))
        digest = _digest(name, given)
        if self._kinds[kind] < self._most and digest not in self._seen:
            self._kinds[kind] += 1
            self._seen.add(digest)
            self.calls.setdefault(name, []).append(given)


def to_numpy(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Return a call with copies of its tensors as arrays, in memory laid out alike."""
    storages: dict[int, Array] = {}
    arrays: dict[int, Array] = {}

    def converted(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in arrays:
                arrays[id(value)] = _copied(value, storages)
            return arrays[id(value)]
        if isinstance(value, (list, tuple)):
            return [converted(item) for item in value]
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            return value
        for kind, representable in NAMED:
            if isinstance(value, kind) and value in representable:
                return str(value).removeprefix("torch.")
        raise NotRepresentableError

    named = {key: converted(value) for key, value in kwargs.items()}
    return Call(tuple(map(converted, args)), named)


def _copied(tensor: Any, storages: dict[int, Array]) -> Array:
    """Return an array on a copy of all the memory that a tensor is a view of."""
    if (
        tensor.layout is not torch.strided
        or tensor.device.type != "cpu"
        or tensor.dtype not in DTYPES
        or tensor.is_conj()
        or tensor.is_neg()
        or tensor.untyped_storage().nbytes() > MOST_BYTES
    ):
        raise NotRepresentableError
    storage = tensor.untyped_storage()
    size = tensor.itemsize
    if storage.data_ptr() not in storages:
        whole = tensor.as_strided((storage.nbytes() // size,), (1,), 0)
        storages[storage.data_ptr()] = whole.numpy().copy()
    memory = storages[storage.data_ptr()]
    array: Array = np.ndarray(
        tuple(tensor.shape),
        memory.dtype,
        memory,
        tensor.storage_offset() * size if tensor.numel() else 0,
        [stride * size for stride in tensor.stride()],
    )
    if tensor.itemsize != memory.itemsize:
        raise NotRepresentableError  # two dtypes in one memory
    return array


def dtypes(value: Any) -> list[str]:
    """Return the dtypes of all arrays in nested values, in order."""
    if isinstance(value, np.ndarray):
        return [value.dtype.name]
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, (list, tuple)):
        return [name for item in value for name in dtypes(item)]
    return []


def _digest(name: str, given: Call) -> bytes:
    """Return what is the same for equal calls, and differs for others."""
    found = hashlib.sha256(name.encode())

    def add(value: Any) -> None:
        if isinstance(value, np.ndarray):
            found.update(repr((value.dtype, value.shape, value.strides)).encode())
            found.update(value.tobytes())
        elif isinstance(value, (list, tuple)):
            found.update(b"[")
            for item in value:
                add(item)
        else:
            found.update(repr(value).encode())

    add([*given.args, *given.kwargs.items()])
    return found.digest()
