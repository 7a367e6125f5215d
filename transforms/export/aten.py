"""Operators that rules call, as PyTorch's own: `AtenMode`.

Gradients and batching rules are written over operators, by the names that PyTorch has
for them. In this mode they are computed by PyTorch, for whichever device, and PyTorch
traces them, differentiates them again and batches them like all else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import torch
from torch.utils import _pytree

from ...runtime.errors import ArgumentValueError, NotExportedOperatorError
from ..meta import find_rule
from ..modes import DispatchMode
from .arrays import unwrapped, wrapped
from .values import number_of, torch_dtype

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.schema import Argument

#: Types of arguments whose values are attributes of torch, ours by their names.
_NAMED: Final = ("Layout", "MemoryFormat")
#: The namespaces of the same operators here and there.
_OURS, _THEIRS = "keyslot", "aten"
_NUMBERS: Final = (bool, int, float, complex)


class AtenMode(DispatchMode):
    """A mode in which operators are those of PyTorch, called with its tensors.

    An operator of a package is the one that is exported, one of keyslot's that of
    PyTorch with the same name. Where there is none, a composite is run.
    """

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        #: Where arrays are made that are made of none.
        self._device: Final = device

    def __keyslot_dispatch__(
        self,
        op: Any,
        types: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call PyTorch's operator.

        Raises NotExportedOperatorError where it has none, and ArgumentValueError for
        a view of an array whose elements do not lie as it needs.
        """
        overload = find_overload(op)
        if overload is None:
            with self:
                result = op.decompose(*args, **kwargs)
            if result is NotImplemented:
                raise NotExportedOperatorError(op.name)
            return result
        values = [*map(_argument, args, op.schema.positional)]
        named = {a.name: _argument(kwargs[a.name], a) for a in op.schema.keyword_only}
        tensors = [*_tensors((values, named))]
        if not tensors:
            named |= self._options(op, args, kwargs)
        pairs = zip(values, op.schema.positional, strict=True)
        values = [_as_tensor(*pair, tensors) for pair in pairs]
        try:
            return wrapped(overload(*values, **named))
        except (RuntimeError, ValueError) as error:
            # Composites such as `reshape` try a view first, then copy.
            if overload is torch.ops.aten.view.default:
                raise ArgumentValueError(str(error)) from error
            raise

    def _options(
        self, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """Return dtype and device of an array that is made of none.

        PyTorch's defaults are others: float32 where NumPy has float64.
        """
        found: dict[str, Any] = {}
        if "dtype" in kwargs and kwargs["dtype"] is None and op.shape_rule is not None:
            made = find_rule(op)(*args, **kwargs)
            found["dtype"] = torch_dtype(made.dtype, f"the result of {op.name}")
        if "device" in kwargs:
            found["device"] = self._device
        return found


def find_overload(op: OpOverload) -> Any:
    """Return PyTorch's overload for one of ours, or None."""
    namespace = _THEIRS if op.namespace == _OURS else op.namespace
    schema = op.schema
    packet = getattr(getattr(torch.ops, namespace), schema.name, None)
    return getattr(packet, schema.overload_name or "default", None)


def _argument(value: Any, argument: Argument) -> Any:
    """Return an argument as PyTorch takes it."""
    kind = argument.type.base.name
    if value is None or kind == "Device":
        # The names of backends are devices of ours alone.
        return None
    if kind == "ScalarType":
        return torch_dtype(value, argument.name)
    if kind in _NAMED:
        return getattr(torch, value)
    return number_of(unwrapped(value))


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    leaves = _pytree.tree_leaves(values)
    return (leaf for leaf in leaves if isinstance(leaf, torch.Tensor))


def _as_tensor(value: Any, argument: Argument, tensors: list[torch.Tensor]) -> Any:
    """Return an argument, a number in the place of an array as a tensor.

    It has the dtype that it counts for beside the tensors of the call.
    """
    is_number = isinstance(value, (*_NUMBERS, torch.SymInt, torch.SymFloat))
    if not is_number or argument.type.base.name != "Tensor":
        return value
    if not tensors:
        return torch.scalar_tensor(value)
    together = reduce(torch.promote_types, (each.dtype for each in tensors))
    dtype = torch.result_type(torch.empty((), dtype=together, device="meta"), value)
    return torch.scalar_tensor(value, dtype=dtype, device=tensors[0].device)
