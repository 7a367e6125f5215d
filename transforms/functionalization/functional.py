"""`FunctionalTensor`: what a functionalized program sees of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import SPACE
from ..layers import LAYER_BITS, outside_of
from ..tensor import Tensor, backend_bits, counter_of, note_write, version_of

if TYPE_CHECKING:
    from .view_step import ViewStep

_BITS: Final = LAYER_BITS | SPACE.bit("Functionalize")


class FunctionalTensor(Tensor):
    """An array that can be written to, over arrays that are not.

    A write gives it another value. A view knows what it is a view of, its ``source``:
    a write to one of them reaches the other, by way of the array at the bottom.
    """

    __slots__ = ("_current", "_seen", "source", "step")

    #: Its value when ``counter``, which views share, was at ``_seen``.
    _current: Any
    _seen: int
    #: For a view: of what, and how it is made of that.
    source: FunctionalTensor | None
    step: ViewStep | None

    def __init__(
        self,
        value: Any,
        level: int,
        source: FunctionalTensor | None = None,
        step: ViewStep | None = None,
    ) -> None:
        self.bits = backend_bits(value) | _BITS
        self.level = level
        self.edge = None
        self.counter = None if source is None else counter_of(source)
        self.extra = None
        self.source = source
        self.step = step
        self._current = value
        self._seen = version_of(self)

    @property
    def value(self) -> Any:
        """The array, made of the source anew where that has been written to."""
        if self._seen != version_of(self):
            assert self.source is not None  # whatever writes notes what it has seen
            assert self.step is not None
            source = self.source.value
            self._current = outside_of(self.level, self.step.replay, source)
            self._seen = version_of(self)
        return self._current

    @property
    def shape(self) -> Any:
        """The sizes of its dimensions, which no write changes."""
        return self._current.shape

    @property
    def dtype(self) -> Any:
        """The dtype of its elements."""
        return self._current.dtype

    @property
    def is_written(self) -> bool:
        """Whether its memory has been written to."""
        return version_of(self) > 0

    @property
    def root(self) -> FunctionalTensor:
        """The array at the bottom, which is no view."""
        return self if self.source is None else self.source.root

    def write(self, value: Any) -> None:
        """Give it another value, and what it is a view of as well.

        To be called outside the layer that it belongs to.
        """
        if self.source is None:
            note_write(self)
        else:
            assert self.step is not None
            self.source.write(self.step.put_back(self.source.value, value))
        self._current = value
        self._seen = version_of(self)


def functional(value: Any, level: int) -> FunctionalTensor:
    """Return an array with memory of its own as a Tensor of a level."""
    return FunctionalTensor(value, level)


def functional_view(
    value: Any, source: FunctionalTensor, step: ViewStep
) -> FunctionalTensor:
    """Return a view of another Tensor, with the value that it has now."""
    return FunctionalTensor(value, source.level, source, step)
