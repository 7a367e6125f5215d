"""`as_strided`, which sees the memory under an array and not the array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import FunctionalWriteError
from ..derivatives.shapes import contiguous

#: The operator that is made a view of the array that owns the memory.
AS_STRIDED: Final = "keyslot::as_strided"

if TYPE_CHECKING:
    from .functional import FunctionalTensor


def as_strided(
    tensor: FunctionalTensor,
    size: Sequence[Any],
    stride: Sequence[Any],
    storage_offset: Any,
) -> tuple[FunctionalTensor, tuple[Any, ...]]:
    """Return the array that owns the memory, and the arguments for it.

    Its elements must lie side by side, else FunctionalWriteError is raised: what lies
    between them, and who sees that, is not known.
    """
    root = tensor.root
    owner = root.value
    if not ops.sym_is_contiguous(owner) or ops.sym_storage_offset(owner) != 0:
        raise FunctionalWriteError(
            "as_strided", "self", "it is a part of an array; take the view of a clone"
        )
    if storage_offset is None:
        # Of a view that is made of the memory now, whatever was written to it.
        storage_offset = ops.sym_storage_offset(_replayed(tensor, owner))
    return root, (size, stride, storage_offset)


def strided(
    owner: Any, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any
) -> Any:
    """Return what the memory of an array holds at these places.

    What was written to it may have left its elements in another order.
    """
    if not ops.sym_is_contiguous(owner):
        owner = contiguous(owner)
    return ops.as_strided(owner, size, stride, storage_offset)


def _replayed(tensor: FunctionalTensor, owner: Any) -> Any:
    if tensor.source is None or tensor.step is None:
        return owner
    return tensor.step.replay(_replayed(tensor.source, owner))
