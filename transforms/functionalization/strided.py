"""`as_strided`, which sees the memory under an array and not the array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from ... import generated as ops
from ...runtime.errors import DataNeededError, FunctionalWriteError
from ..derivatives.shapes import contiguous
from .inverses import by_places
from .view_step import ViewStep

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from .functional import FunctionalTensor

#: The operator that is made a view of the array that owns the memory.
AS_STRIDED: Final = "keyslot::as_strided"


@final
class StridedStep(ViewStep):
    """A call of ``as_strided`` with the array that owns the memory."""

    __slots__ = ("_in_order",)

    def __init__(
        self,
        op: OpOverload,
        args: tuple[Any, ...],
        copies: bool,
        in_order: bool,
    ) -> None:
        """``in_order`` says whether the elements of the array are all of its memory.

        If not, it is not known what else is there, and who sees it.
        """
        super().__init__(op, 0, args, {}, copies)
        self._in_order: Final = in_order

    def replay(self, source: Any) -> Any:
        self._check()
        return self.make(contiguous(source))

    def put_back(self, source: Any, value: Any) -> Any:
        self._check()
        return by_places(source, value, self.make)

    def _check(self) -> None:
        if not self._in_order:
            raise FunctionalWriteError(
                AS_STRIDED,
                "self",
                "it is a part of an array, or its elements lie in another order; take"
                " the view of a clone",
            )


def strided_view(
    op: OpOverload, tensor: FunctionalTensor, args: tuple[Any, ...], copies: bool
) -> tuple[FunctionalTensor, StridedStep]:
    """Return the array that owns the memory of another one, and how a view is made."""
    size, stride, storage_offset = args
    root = tensor.root
    owner = root.value
    if storage_offset is None:
        # Of a view that is made of the memory now, whatever was written to it.
        storage_offset = ops.sym_storage_offset(_replayed(tensor, owner))
    step = StridedStep(op, (size, stride, storage_offset), copies, _is_in_order(owner))
    return root, step


def _is_in_order(owner: Any) -> bool:
    try:
        return bool(ops.sym_is_contiguous(owner) and ops.sym_storage_offset(owner) == 0)
    except DataNeededError:
        # An abstract array has no memory, and stands for one that lies like this.
        return True


def _replayed(tensor: FunctionalTensor, owner: Any) -> Any:
    if tensor.source is None or tensor.step is None:
        return owner
    return tensor.step.replay(_replayed(tensor.source, owner))
