"""The rule of pointwise operators, whose arrays broadcast with each other.

Physical arrays broadcast as the logical ones do once these have as many dimensions:
dimensions that are missing are put in after the batch.

The dtype of the result is that of the logical arrays. In type promotion an array
without dimensions counts less than one with some, but when it is batched it does have
one: so it is first given the dtype of the result, as by PyTorch's vmap. (PyTorch does
so for operators of two arrays only: its vmap of ``where`` and ``clamp`` gives other
dtypes than the call for each item.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ... import generated as ops
from ...kernels.numpy.promotion import result_dtype
from ...runtime.op import OpOverload
from ..arrays import converted
from .call import BatchedCall, array_names, written_names
from .forms import in_all_forms
from .physical import logical_ndim, with_ndim

_NUMBERS: Final = (bool, int, float, complex)


class _Promoted(NamedTuple):
    """What type promotion reads of an array."""

    dtype: Any
    ndim: int


def pointwise(call: BatchedCall) -> Any:
    """Batching rule of operators of single arrays that broadcast with each other.

    The parameters name those arrays that decide on the dtype together, by default all.
    """
    return call.op(*call.args, **call.kwargs) if _fits(call) else _promoting(call)


def aligned(call: BatchedCall) -> Any:
    """Batching rule of such operators whose arrays do not decide on the dtype."""
    return call.op(*call.args, **call.kwargs) if _fits(call) else _aligning(call)


def _fits(call: BatchedCall) -> bool:
    """Whether the operator can be called on the physical arrays as they are.

    This is asked of every call. For what it does not see at a glance, such as three
    arrays of which one has no batch, lining up finds nothing to do.
    """
    leading = _leading_arrays(call.op)
    if leading == 1:
        return True
    if leading == 2:
        return _pair_fits(call)
    names = array_names(call.op)
    if len(call.batched) < len(names):
        return False
    values = call.values
    return len({values[name].ndim for name in names}) == 1


def _pair_fits(call: BatchedCall) -> bool:
    """Whether two arrays, or an array and a number, broadcast as they are.

    Two batches do if they have as many dimensions. A batch and another array do if the
    batch has more, and its items have some: then they count in promotion as it does.
    """
    first, second = call.args[:2]
    if type(first) in _NUMBERS or type(second) in _NUMBERS:
        return True
    if len(call.batched) == 2:
        same: bool = first.ndim == second.ndim
        return same
    if call.names[0] not in call.batched:
        if written_names(call.op):
            return False
        first, second = second, first
    fits: bool = 1 < first.ndim > second.ndim
    return fits


@lru_cache(maxsize=4096)
def _leading_arrays(op: OpOverload) -> int:
    """Return 1 for an overload of one array, 2 for one of two that come first, or 0."""
    names = array_names(op)
    if len(names) == 1:
        return 1
    positional = tuple([arg.name for arg in op.schema.positional])
    return 2 if names == positional[:2] else 0


@in_all_forms
def _promoting(call: BatchedCall) -> Any:
    arrays = _arrays(call)
    lined_up = _lined_up(call, arrays)
    promoted = call.parameters or array_names(call.op)
    return call.run(**lined_up | _promoted(call, arrays, lined_up, promoted))


@in_all_forms
def _aligning(call: BatchedCall) -> Any:
    return call.run(**_lined_up(call, _arrays(call)))


def _arrays(call: BatchedCall) -> dict[str, Any]:
    """Return the arrays of a call by name, without numbers in the place of arrays."""
    values = call.values
    given = {name: values[name] for name in array_names(call.op)}
    return {name: array for name, array in given.items() if hasattr(array, "ndim")}


def _lined_up(call: BatchedCall, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return arrays of which those with the batch have as many dimensions as any."""
    ndim = max(_ndim(call, name, array) for name, array in arrays.items())
    return {
        name: with_ndim(array, True, ndim) if name in call.batched else array
        for name, array in arrays.items()
    }


def _promoted(
    call: BatchedCall,
    arrays: dict[str, Any],
    lined_up: dict[str, Any],
    names: Sequence[str],
) -> dict[str, Any]:
    """Return the arrays to change for the dtype to be that of the logical arrays.

    These are the arrays without logical dimensions.
    """
    ndims = {name: _ndim(call, name, arrays[name]) for name in names if name in arrays}
    without = [name for name, ndim in ndims.items() if ndim == 0]
    if not call.batched.intersection(without):
        return {}
    numbers = [call.values[name] for name in names if name not in arrays]
    dtype = _dtype(arrays, ndims, numbers)
    if dtype == _dtype(arrays, {name: lined_up[name].ndim for name in ndims}, numbers):
        return {}
    if len(without) < len(ndims):
        return {name: converted(lined_up[name], dtype) for name in without}
    # They are equals: those that do not have the batch are given a dimension too.
    unbatched = [name for name in without if name not in call.batched]
    return {name: ops.unsqueeze(arrays[name], 0) for name in unbatched}


def _dtype(
    arrays: dict[str, Any], ndims: dict[str, int], numbers: Sequence[Any]
) -> Any:
    """Return the dtype of arrays with so many dimensions and of numbers together."""
    return result_dtype(
        *(_Promoted(arrays[name].dtype, ndim) for name, ndim in ndims.items()),
        *(number for number in numbers if number is not None),
    )


def _ndim(call: BatchedCall, name: str, array: Any) -> int:
    return logical_ndim(array, name in call.batched)
