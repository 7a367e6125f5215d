"""Kernels for tensors in the memory of the CPU that are made of NumPy's.

A tensor and its array are one piece of memory, so nothing is copied on the way in, also
where a kernel writes. On the way out a result is copied where PyTorch could not have
it as it is: it shares memory with an argument or another result, which an operator
without alias marks must not, or it is not contiguous, as all results of such kernels
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np
import torch

from ..runtime.errors import DtypeError
from ..runtime.given import type_name
from ..runtime.schema import Argument, Return
from .definition import Definition, Function
from .values import number_of, numpy_dtype, text_of

#: What a kernel may return for an array.
_NUMBERS: Final = (int, float, complex)

#: What to do about a dtype that NumPy does not have.
_REMEDY: Final = (
    ", and the kernel is NumPy's: convert it, to float32 say, or name a kernel for CPU"
    " under torch: kernels"
)

Array: TypeAlias = np.ndarray[Any, Any]


def numpy_kernel(definition: Definition) -> Function:
    """Return a kernel over tensors that calls the operator with their arrays."""
    op, schema = definition.op, definition.schema
    positional, keyword_only = schema.positional, schema.keyword_only
    given_back = definition.given_back

    def kernel(*args: Any, **kwargs: Any) -> Any:
        call = _Call(definition.qualified)
        by_position = [*map(call.as_numpy, args, positional)]
        by_name = {
            each.name: call.as_numpy(kwargs[each.name], each) for each in keyword_only
        }
        results = op(*by_position, **by_name)
        if not schema.returns:
            return None
        several = call.several(results, schema.returns)
        named = definition.named(args, kwargs)
        made = [
            call.as_torch(result, ret) if name is None else named[name]
            for result, ret, name in zip(
                several, schema.returns, given_back, strict=True
            )
        ]
        return tuple(made) if len(made) > 1 else made[0]

    return kernel


@final
class _Call:
    """The values of one call, on their way to NumPy and back."""

    __slots__ = ("_arrays", "_operator")

    def __init__(self, operator: str) -> None:
        self._operator: Final = operator
        #: Arrays whose memory no further result may share.
        self._arrays: Final[list[Array]] = []

    def as_numpy(self, value: Any, argument: Argument) -> Any:
        """Return what an operator here takes for a value of PyTorch's."""
        if isinstance(value, torch.Tensor):
            return self._array(value, argument)
        if isinstance(value, (list, tuple)):
            return [self.as_numpy(item, argument) for item in value]
        if isinstance(value, torch.dtype):
            return numpy_dtype(value, self._place(argument), _REMEDY)
        return text_of(value)

    def several(self, made: Any, returns: Sequence[Return]) -> Sequence[Any]:
        """Return the results that a kernel has made, one for each of the schema."""
        if len(returns) == 1:
            return (made,)
        if isinstance(made, (tuple, list)) and len(made) == len(returns):
            return made
        raise self._other_result(f"a tuple of {len(returns)} results", made)

    def as_torch(self, result: Any, ret: Return) -> Any:
        """Return a result as PyTorch has it: a tensor, a list of them, or a number."""
        if ret.type.base.name != "Tensor":
            return number_of(result)
        if result is None and ret.type.kind == "optional":
            return None
        if ret.type.kind != "list":
            return self._tensor(result)
        if not isinstance(result, (list, tuple)):
            raise self._other_result("a list of arrays", result)
        return [self._tensor(item) for item in result]

    def _tensor(self, result: Any) -> torch.Tensor:
        """Return the tensor of an array or a number that a kernel has made."""
        if not isinstance(result, (np.ndarray, np.generic, *_NUMBERS)):
            raise self._other_result("an array", result)
        array = np.asarray(result)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if not self._can_be_a_tensor(array):
            array = array.copy(order="C")
        try:
            tensor = torch.from_numpy(array)
        except TypeError as error:
            raise DtypeError(
                f"{self._operator}: its kernel returned {type_name(type(result))} of"
                f" dtype {array.dtype}, which PyTorch does not have"
            ) from error
        # The next result may be a view of this one.
        self._arrays.append(array)
        return tensor

    def _array(self, tensor: torch.Tensor, argument: Argument) -> Array:
        """Return the array that is a tensor's memory."""
        if argument.is_write and torch._debug_has_internal_overlap(tensor) == 1:
            raise ValueError(
                f"{self._operator}: several elements of {argument.name} are one place"
                " of memory, as after expand(): pass clone() of it"
            )
        numpy_dtype(tensor.dtype, self._place(argument), _REMEDY)
        # Below autograd a tensor may still say that it wants gradients.
        array: Array = tensor.detach().numpy()
        self._arrays.append(array)
        return array

    def _can_be_a_tensor(self, array: Array) -> bool:
        """Whether a tensor can have the memory of an array."""
        flags = array.flags
        # By their bounds alone: to look closer may take very long.
        shares = any(np.may_share_memory(array, other) for other in self._arrays)
        return flags.c_contiguous and flags.writeable and not shares

    def _other_result(self, wanted: str, made: object) -> TypeError:
        kind = type(made).__name__
        given = f"{len(made)} in a {kind}" if isinstance(made, (list, tuple)) else kind
        return TypeError(
            f"the kernel of {self._operator} has to return {wanted}, and returned"
            f" {given}"
        )

    def _place(self, argument: Argument) -> str:
        return f"{argument.name} of {self._operator}"
