"""The ends of the graph: where gradients are wanted."""

from __future__ import annotations

from typing import Any
from weakref import ref

from .node import Node


class Leaf(Node):
    """The end of an edge at a Tensor whose gradient is wanted."""

    __slots__ = ("grad", "tensor")

    def __init__(self, tensor: Any = None) -> None:
        super().__init__(collect if tensor is None else accumulate, None, (), "leaf")
        #: The gradient that a run of the engine has brought.
        self.grad: Any = None
        #: The Tensor whose ``grad`` it is added to, if any.
        self.tensor: Any = None if tensor is None else ref(tensor)


def collect(node: Any, grad: Any, record: bool) -> tuple[()]:
    """Keep a gradient for whoever has made the leaf."""
    del record
    node.grad = grad
    return ()


def accumulate(node: Any, grad: Any, record: bool) -> tuple[()]:
    """Add a gradient to the ``grad`` of a Tensor."""
    tensor = node.tensor()
    if tensor is not None:
        tensor.add_grad(grad, record)
    return ()
