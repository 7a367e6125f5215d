"""Copies of Tensors, and Tensors in pickles: leaves of graphs of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..generated.keys import DISPATCHER, SPACE
from ..runtime.errors import TransformedValueError
from .tensor import AUTOGRAD, Tensor, counter_of

#: What belongs to the object, not to the array: a copy has its own.
_OWN: Final = frozenset(("__weakref__", "__dict__", "bits", "counter", "edge", "extra"))


def shallow(tensor: Tensor) -> Tensor:
    """Return another Tensor with the same memory, a leaf where the first is one.

    Raises TransformedValueError for what a recorded call has made, and for Tensors of
    a transform that is being run.
    """
    copy = _restored(*_parts(tensor))
    copy.counter = counter_of(tensor)
    return copy


def reduced(tensor: Tensor) -> Any:
    """Return what a Tensor is pickled by, and deep copies are made by.

    The gradient of a leaf is part of it, its hooks are not. Raises what `shallow` does.
    """
    return _restored, _parts(tensor)


def _parts(tensor: Tensor) -> tuple[Any, ...]:
    if tensor.level > 0 or not tensor.is_leaf:
        why = "it belongs to a graph or a transform; detach or clone it"
        raise TransformedValueError("a copy", why)
    # The numbers of bits are another matter in each version of the key space.
    keys = DISPATCHER.key_names(tensor.bits & ~AUTOGRAD)
    state = dict(_state(tensor)) | getattr(tensor, "__dict__", {})
    return type(tensor), keys, state, tensor.requires_grad, tensor.grad


def _state(tensor: Tensor) -> Iterator[tuple[str, Any]]:
    for cls in type(tensor).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in _OWN and hasattr(tensor, name):
                yield name, getattr(tensor, name)


def _restored(
    cls: type[Tensor],
    keys: tuple[str, ...],
    state: dict[str, Any],
    requires_grad: bool,
    grad: Tensor | None,
) -> Tensor:
    made = cls.__new__(cls)
    made.bits = SPACE.bits(keys)
    made.edge = None
    made.counter = None
    made.extra = None
    for name, value in state.items():
        setattr(made, name, value)
    if requires_grad:
        made.requires_grad_()
    if grad is not None:
        made.grad = grad
    return made
