"""`Tensor.backward`, and what else belongs to gradients that Tensors keep."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import GradientInputError, GradientOutputError
from ..tensor import Tensor
from .engine import run_backward
from .inplace import current_edge, is_leaf
from .leaf import Leaf
from .node import end_of


def backward(
    tensor: Tensor, gradient: Any, retain_graph: bool | None, create_graph: bool
) -> None:
    """Add the gradients of a Tensor to those of the leaves that it was made of."""
    edge = current_edge(tensor)
    if edge is None:
        raise GradientInputError("Tensors that require it; this one was made of none")
    if gradient is None:
        if len(tensor.shape) != 0 and prod(tensor.shape) != 1:
            raise GradientOutputError(f"shape {tuple(tensor.shape)}")
        gradient = ops.full_like(tensor.value, 1)
    elif tuple(gradient.shape) != tuple(tensor.shape):
        shapes = f"{tuple(tensor.shape)}, not {tuple(gradient.shape)}"
        raise GradientInputError(f"a gradient of the shape of the Tensor, {shapes}")
    if create_graph and not isinstance(gradient, Tensor):
        gradient = Tensor(gradient)
    elif not create_graph and isinstance(gradient, Tensor) and gradient.level == 0:
        gradient = gradient.value
    keep = create_graph if retain_graph is None else retain_graph
    run_backward([(edge, gradient)], record=create_graph, keep=keep)


def add_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> Callable[[], None]:
    """Call a function with the gradient of a Tensor; return what undoes it."""
    if tensor.edge is None:
        raise GradientInputError("Tensors that require it; this one does not")
    node, index = end_of(tensor.edge)
    hooks = node.hooks = node.hooks or []

    def seen(grad: Any) -> Any:
        whole = grad if node.results > 1 else [grad]
        value = whole[index]
        if value is None:
            return grad
        given = value if isinstance(value, Tensor) else Tensor(value)
        made = hook(given)
        if made is None:
            return grad
        changed = (
            made.value if isinstance(made, Tensor) and given is not value else made
        )
        if node.results == 1:
            return changed
        return [changed if n == index else one for n, one in enumerate(whole)]

    hooks.append(seen)

    def undo() -> None:
        if seen in hooks:
            hooks.remove(seen)

    return undo


def start_requiring(tensor: Tensor) -> None:
    """Make a Tensor a leaf whose gradient is wanted."""
    if tensor.dtype.kind not in "fc":
        what = f"floating-point or complex arrays, not {tensor.dtype}"
        raise GradientInputError(what)
    tensor.edge = Leaf(tensor)


def stop_requiring(tensor: Tensor) -> None:
    """Let calls with a leaf go unrecorded again."""
    if not is_leaf(tensor):
        what = (
            "leaves that stop requiring it; a recorded call has made this one: detach"
        )
        raise GradientInputError(what)
    tensor.edge = None
