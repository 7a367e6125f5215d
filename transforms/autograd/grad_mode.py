"""`no_grad`: calls that are not recorded."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Self

from ...generated.keys import DISPATCHER
from ...runtime.guards import Guard
from ..tensor import AUTOGRAD


class no_grad(ContextDecorator):  # noqa: N801 - its name in PyTorch
    """A context, or a decorator, in which calls with Tensors are not recorded.

    What they return requires no gradient. Inside a function that is being transformed
    by `grad` and the like it holds for the innermost of them, and for all `backward`.
    """

    def __init__(self) -> None:
        # A guard keeps nothing of its own: one serves all uses, on any thread.
        self._guard = DISPATCHER.below_autograd()

    def __enter__(self) -> Self:
        self._guard.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._guard.__exit__(*exception)


def recording() -> Guard:
    """Return a guard under which calls with Tensors are recorded, also in `no_grad`."""
    return DISPATCHER.guard(
        lambda old: old._replace(allowed=old.allowed | AUTOGRAD), "recording"
    )


def is_recording(level: int) -> bool:
    """Whether calls with Tensors of a level that require gradients are recorded."""
    state = DISPATCHER.state.get()
    while state.layers and state.layers[-1].level > level:
        state = DISPATCHER.below_layer(state)
    return bool(state.setting.allowed & AUTOGRAD)
