"""Kernels for tensors in the memory of the CPU that are made of NumPy's.

A tensor and its array are one piece of memory, so nothing is copied on the way in, also
where a kernel writes. On the way out a result is copied where PyTorch could not have
it as it is: it shares memory with an argument or another result, which an operator
without alias marks must not, or it is not contiguous, as all results of such kernels
are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ....runtime.errors import DtypeError
from ....runtime.schema import Argument, Return
from .definition import Definition, Function


def numpy_kernel(definition: Definition) -> Function:
    """Return a kernel over tensors that calls the operator with their arrays."""
    op, schema = definition.op, definition.schema
    positional, keyword_only = schema.positional, schema.keyword_only
    written = {str(each.alias): each for each in schema.arguments if each.is_write}
    given_back = [written.get(str(ret.alias)) for ret in schema.returns]

    def kernel(*args: Any, **kwargs: Any) -> Any:
        named = dict(zip((each.name for each in positional), args, strict=True))
        named.update(kwargs)
        arrays: list[np.ndarray[Any, Any]] = []

        def taken(argument: Argument) -> Any:
            return _as_numpy(named[argument.name], argument, definition, arrays)

        by_position = [taken(each) for each in positional]
        by_name = {each.name: taken(each) for each in keyword_only}
        results = op(*by_position, **by_name)
        if not given_back:
            return None
        several = results if len(given_back) > 1 else (results,)
        made = [
            _as_torch(result, ret, arrays) if back is None else named[back.name]
            for result, ret, back in zip(
                several, schema.returns, given_back, strict=True
            )
        ]
        return tuple(made) if len(made) > 1 else made[0]

    return kernel


def _as_numpy(
    value: Any,
    argument: Argument,
    definition: Definition,
    arrays: list[np.ndarray[Any, Any]],
) -> Any:
    """Return what an operator here takes for a value of PyTorch's.

    The arrays of tensors are also added to ``arrays``.
    """
    if isinstance(value, torch.Tensor):
        if argument.is_write:
            _check_writable(value, argument, definition)
        array = _array_of(value, argument, definition)
        arrays.append(array)
        return array
    if isinstance(value, (list, tuple)):
        return [_as_numpy(item, argument, definition, arrays) for item in value]
    if isinstance(value, torch.dtype):
        return numpy_dtype(value, f"{argument.name} of {definition.qualified}")
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return str(value).removeprefix("torch.")
    return value


def _array_of(
    tensor: torch.Tensor, argument: Argument, definition: Definition
) -> np.ndarray[Any, Any]:
    """Return the array that is a tensor's memory."""
    try:
        # Below autograd a tensor may still say that it wants gradients.
        array: np.ndarray[Any, Any] = tensor.detach().numpy()
    except TypeError as error:
        where = f"{argument.name} of {definition.qualified}"
        raise _no_dtype(tensor.dtype, where) from error
    return array


def _check_writable(
    tensor: torch.Tensor, argument: Argument, definition: Definition
) -> None:
    """Refuse to write where several elements are one place of memory."""
    if torch._debug_has_internal_overlap(tensor) == 1:
        raise ValueError(
            f"{definition.qualified}: several elements of {argument.name} are one place"
            " of memory, as after expand(): pass clone() of it"
        )


def numpy_dtype(dtype: torch.dtype, where: str) -> np.dtype[Any]:
    """Return NumPy's dtype for one of PyTorch's.

    Raises DtypeError where NumPy has none, as for bfloat16.
    """
    try:
        array: np.ndarray[Any, Any] = torch.empty(0, dtype=dtype, device="cpu").numpy()
    except TypeError as error:
        raise _no_dtype(dtype, where) from error
    found: np.dtype[Any] = array.dtype
    return found


def _no_dtype(dtype: torch.dtype, where: str) -> DtypeError:
    name = str(dtype).removeprefix("torch.")
    return DtypeError(
        f"{where} is {name}, which NumPy does not have, and the kernel is NumPy's:"
        " convert it, to float32 say, or name a kernel for CPU under torch: kernels"
    )


def _as_torch(result: Any, ret: Return, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return a result as PyTorch has it: a tensor, a list of them, or a number."""
    if result is None:
        return None
    if isinstance(result, (list, tuple)):
        return [_as_torch(item, ret, arrays) for item in result]
    if ret.type.base.name != "Tensor":
        return result.item() if isinstance(result, np.generic) else result
    array = np.asarray(result)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not _is_own(array, arrays):
        array = array.copy(order="C")
    # The next result may be a view of this one.
    arrays.append(array)
    return torch.from_numpy(array)


def _is_own(array: np.ndarray[Any, Any], others: list[np.ndarray[Any, Any]]) -> bool:
    """Whether a tensor can have the memory of an array."""
    flags = array.flags
    return (
        flags.c_contiguous
        and flags.writeable
        and not any(_share(array, other) for other in others)
    )


def _share(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays may lie in one piece of memory; bounds alone are compared."""
    return np.may_share_memory(one, other)
