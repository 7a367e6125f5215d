"""The memory of the arrays of a call: copied with its layout, and shown to PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .op_arguments import Array, Call


def own_memory(given: Call) -> Call:
    """Return the call on copies: strides are kept, and so is sharing of memory."""
    roots: dict[int, Array] = {}

    def copied(array: Array) -> Array:
        if any(stride < 0 for stride in array.strides):
            return array.copy()  # a tensor cannot have its strides
        root = _root(array)
        memory = roots.setdefault(id(root), root.ravel("K").copy())
        return np.ndarray(
            array.shape, array.dtype, memory, _offset(array, root), array.strides
        )

    return _for_arrays(copied, given)


def in_double(given: Call) -> Call:
    """Return the call on copies with numbers in double precision, strides as before."""
    wider = {"float32": np.dtype("float64"), "complex64": np.dtype("complex128")}

    def widened(array: Array) -> Array:
        dtype = wider.get(array.dtype.name)
        if dtype is None or any(stride < 0 for stride in array.strides):
            return array
        root = _root(array)
        memory = root.ravel("K").view(array.dtype).astype(dtype)
        strides = [2 * stride for stride in array.strides]
        return np.ndarray(array.shape, dtype, memory, 2 * _offset(array, root), strides)

    return _for_arrays(widened, given)


def same_memory(given: Call) -> Call:
    """Return the call with tensors in the place of arrays, in the same memory."""
    storages: dict[int, Any] = {}

    def shown(array: Array) -> Any:
        root = _root(array)
        if id(root) not in storages:
            storages[id(root)] = torch.from_numpy(root.ravel("K").view(array.dtype))
        size = array.itemsize
        strides = [stride // size for stride in array.strides]
        offset = _offset(array, root) // size
        return storages[id(root)].as_strided(array.shape, strides, offset)

    return _for_arrays(shown, given)


def is_strided_alike(ours: tuple[Array, Array], theirs: tuple[Array, Array]) -> bool:
    """Whether two views are the same part of what they are views of, in each pair."""
    return _part(*ours) == _part(*theirs)


def _part(view: Array, array: Array) -> tuple[int, list[int]]:
    """Return where a view starts, and the strides of dimensions with several steps."""
    start = view.__array_interface__["data"][0] - array.__array_interface__["data"][0]
    return start, steps(view)


def steps(array: Array) -> list[int]:
    """Return the strides of dimensions with several elements: others say nothing."""
    strides = zip(array.shape, array.strides, strict=True)
    return [stride for size, stride in strides if size > 1]


def _root(array: Array) -> Array:
    """Return the array that has the memory which this one is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _offset(array: Array, root: Array) -> int:
    """Return how many bytes into the memory an array starts; empty ones, anywhere."""
    if array.size == 0:
        return 0
    return int(
        array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    )


def _for_arrays(make: Callable[[Array], Any], given: Call) -> Call:
    """Replace the arrays of a call, one that occurs twice by one."""
    made: dict[int, Any] = {}

    def replaced(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if id(value) not in made:
                made[id(value)] = make(value)
            return made[id(value)]
        if isinstance(value, (list, tuple)):
            return type(value)(replaced(item) for item in value)
        return value

    kwargs = {key: replaced(value) for key, value in given.kwargs.items()}
    return Call(replaced(given.args), kwargs)
