"""`ViewStep`: how a view is made of an array, and how that is made of the view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import (
    ArgumentValueError,
    UnknownOperatorError,
    UnknownOverloadError,
)
from ...runtime.namespace import find_overload
from ..derivatives.shapes import contiguous
from ..nested import mapped
from .inverses import by_places, find_inverse

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Function = Callable[..., Any]


class ViewStep:
    """A call of a view operator, but for the array that it was called with."""

    __slots__ = ("_args", "_call", "_inverse", "_kwargs", "_piece", "_place")

    def __init__(
        self,
        op: OpOverload,
        place: int,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        copies: bool,
        piece: int | None = None,
    ) -> None:
        """``place`` is that of the array, which ``args`` are without.

        ``piece`` says which array of a list it is. With ``copies`` it is made as a copy
        rather than a view.
        """
        self._call: Final = copying(op) if copies else op
        self._inverse: Final = find_inverse(op)
        self._place: Final = place
        self._args: Final = args
        self._kwargs: Final = kwargs
        self._piece: Final = piece

    def make(self, source: Any) -> Any:
        """Return the view of an array, or the whole list that it is in."""
        before, after = self._args[: self._place], self._args[self._place :]
        return self._call(*before, source, *after, **self._kwargs)

    def replay(self, source: Any) -> Any:
        """Return the view of an array that has been written to since it was made.

        What was written may have left the elements in an order that has no such view.
        """
        try:
            made = self.make(source)
        except ArgumentValueError:
            made = self.make(contiguous(source))
        return made if self._piece is None else made[self._piece]

    def put_back(self, source: Any, value: Any) -> Any:
        """Return the array that has ``value`` where the view of ``source`` is."""
        if self._inverse is None:
            return by_places(source, value, self.replay)
        piece = {} if self._piece is None else {"piece": self._piece}
        return self._inverse(source, value, *self._args, **piece, **self._kwargs)


def copying(op: OpOverload) -> Function:
    """Return what makes a copy of the view that an operator makes.

    That is the operator of its name with ``_copy`` at the end, as ``select_copy.int``
    in PyTorch, or else the view and `clone`.
    """
    schema = op.schema
    overload = f".{schema.overload}" if schema.overload else ""
    try:
        return find_overload(op.namespace, f"{schema.name}_copy{overload}")
    except (UnknownOperatorError, UnknownOverloadError):
        return lambda *args, **kwargs: mapped(op(*args, **kwargs), ops.clone)
