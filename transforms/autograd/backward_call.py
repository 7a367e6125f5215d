"""`Tensor.backward`, and what else belongs to gradients that Tensors keep."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ... import generated as ops
from ...runtime.errors import GradientInputError, GradientOutputError
from ..tensor import Tensor
from .cotangents import check_differentiable, in_form_of
from .engine import run_backward
from .grad_mode import recording
from .inplace import is_leaf
from .leaf import Leaf
from .node import end_of


def backward(
    tensor: Tensor, gradient: Any, retain_graph: bool | None, create_graph: bool
) -> None:
    """Add the gradients of a Tensor to those of the leaves that it was made of."""
    _check_outside(tensor)
    edge = tensor.current_edge
    if edge is None:
        raise GradientInputError("Tensors that require it; this one was made of none")
    if gradient is None:
        advice = "sum it up, or give backward the gradient of this array"
        if len(tensor.shape) != 0 and tensor.numel() != 1:
            raise GradientOutputError(f"shape {tuple(tensor.shape)}", advice)
        if tensor.dtype.kind == "c":
            raise GradientOutputError(f"dtype {tensor.dtype}", advice)
        gradient = ops.full_like(tensor.value, 1)
    else:
        gradient = in_form_of("backward", tensor, gradient)
    if create_graph and not isinstance(gradient, Tensor):
        gradient = Tensor(gradient)
    elif not create_graph and isinstance(gradient, Tensor) and gradient.level == 0:
        gradient = gradient.value
    keep = create_graph if retain_graph is None else retain_graph
    # That gradients are recorded is asked for here, whatever holds outside.
    with recording() if create_graph else nullcontext():
        run_backward([(edge, gradient)], record=create_graph, keep=keep)


def add_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> Callable[[], None]:
    """Call a function with the gradient of a Tensor; return what undoes it."""
    edge = tensor.current_edge
    if edge is None:
        raise GradientInputError("Tensors that require it; this one does not")
    node, index = end_of(edge)
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
        made = in_form_of("a hook that returns one", given, made)
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
    _check_outside(tensor)
    check_differentiable(tensor)
    if tensor.level < 0:
        # Calls would be recorded of what is inside, and leave the wrapper out.
        kind = type(tensor).__name__
        what = f"a Tensor around a {kind}: Tensor(array, requires_grad=True)"
        raise GradientInputError(what)
    if tensor.extra is not None:
        # It stands for itself from now on, not for a part of what it is a view of.
        tensor.extra.base = tensor.extra.replay = None
    tensor.edge = Leaf(tensor)


def stop_requiring(tensor: Tensor) -> None:
    """Let calls with a leaf go unrecorded again."""
    if not is_leaf(tensor):
        what = (
            "leaves that stop requiring it; a recorded call has made this one: detach"
        )
        raise GradientInputError(what)
    tensor.edge = None


def _check_outside(tensor: Tensor) -> None:
    if tensor.level > 0:
        raise GradientInputError(
            "what comes from outside a function that is transformed: inside, it is the"
            " transform that says of what gradients are taken"
        )
