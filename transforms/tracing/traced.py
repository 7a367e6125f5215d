"""Tensors that a tracer makes: each knows the node that it is the result of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import SPACE
from ...runtime.errors import TransformedValueError
from ..meta import MetaTensor
from ..tensor import Tensor

if TYPE_CHECKING:
    from ..graph import Node
    from .tracer import Tracer

_META: Final = SPACE.bit("Meta")


class TracedTensor(MetaTensor):
    """An array without elements that is being traced."""

    __slots__ = ("node", "tracer")

    node: Node
    tracer: Tracer


class TracedArray(Tensor):
    """An array with its elements that is being traced."""

    __slots__ = ("node", "tracer")

    def __init__(self, value: Any, node: Node, tracer: Tracer) -> None:
        super().__init__(value)
        # Only the tracer takes the array out: elsewhere it would go on untraced.
        self.level = -1
        self.node = node
        self.tracer = tracer

    def elements(self, what: str) -> Any:
        """Raise TransformedValueError: the program would go on with this one value."""
        why = (
            "it is being traced, and the graph would have the one value for all inputs"
        )
        raise TransformedValueError(what, why)


_new = TracedTensor.__new__


def traced(spec: Any, node: Node, tracer: Tracer) -> TracedTensor:
    """Return a Tensor with a shape and a dtype."""
    made = _new(TracedTensor)
    made.bits = _META
    # In the place of __init__, which costs a call more:
    made._shape = spec.shape  # pyright: ignore[reportPrivateUsage]
    made._dtype = spec.dtype  # pyright: ignore[reportPrivateUsage]
    made.backend = None
    made.level = -1
    made.edge = None
    made.counter = None
    made.extra = None
    made.node = node
    made.tracer = tracer
    return made
