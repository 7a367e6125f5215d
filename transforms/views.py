"""Views: Tensors that share memory with another one, and know how it makes them.

A write to a view changes its base, and one to the base all its views. So a view keeps
the calls that have made it of the base: what was recorded of it can be found anew. That
holds for views that nothing was recorded of too, since a write may bring gradients in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from .tensor import Extra, Tensor, autograd_bits, counter_of, version_of, wrap

#: Makes a view of an array.
Step = Callable[[Any], Any]


class Replay:
    """How a view is made of its base: some steps, one after the other.

    Steps are linked rather than nested, so that a view of a view, and so on, may be as
    deep as memory allows.
    """

    __slots__ = ("_before", "_step")

    def __init__(self, before: Replay | None, step: Step) -> None:
        self._before: Final = before
        self._step: Final = step

    def __call__(self, array: Any) -> Any:
        """Make the view of another array."""
        steps: list[Step] = []
        link: Replay | None = self
        while link is not None:
            steps.append(link._step)
            link = link._before
        for step in reversed(steps):
            array = step(array)
        return array


def note_view(view: Tensor, source: Tensor, step: Step) -> None:
    """Note of what a view is a view, and how it is made of that.

    The two share the count of writes already.
    """
    view.extra = extra = Extra()
    extra.version = version_of(view)
    held = source.extra
    if held is None or held.base is None:
        extra.base, extra.replay = source, Replay(None, step)
    else:
        extra.base, extra.replay = held.base, Replay(held.replay, step)


def wrap_view(value: Any, source: Any, step: Step | None) -> Any:
    """Return a view of an argument's memory of which nothing is recorded yet.

    It goes through the keys that record all the same: its base may change. Without a
    ``step``, as for a detached array, it only shares the count of writes.
    """
    if not isinstance(source, Tensor):
        return wrap(value)
    view = Tensor(value)
    view.counter = counter_of(source)
    if step is not None:
        view.bits |= autograd_bits(view.bits)
        note_view(view, source, step)
    return view


def wrap_views(values: Any, source: Any, step: Step | None) -> list[Any]:
    """Return several views of one argument's memory, made by one call."""
    return [
        wrap_view(value, source, None if step is None else item_of(step, n))
        for n, value in enumerate(values)
    ]


def note_views(made: Any, source: Any, step: Step) -> None:
    """Note of what the results of a call are views: one, or several in a list."""
    if not isinstance(source, Tensor):
        return
    several = type(made) in (list, tuple)
    for place, one in enumerate(made if several else [made]):
        if isinstance(one, Tensor) and one.level == source.level:
            one.counter = counter_of(source)
            one.bits |= autograd_bits(one.bits)
            note_view(one, source, item_of(step, place) if several else step)


def item_of(step: Step, place: int) -> Step:
    """Return what makes one of several views."""
    return lambda array: step(array)[place]


def current_edge(tensor: Any) -> Any:
    """Return the edge of a Tensor that may be a view of one that has changed since."""
    extra = tensor.extra
    if extra is None or extra.base is None or extra.version == version_of(tensor):
        return tensor.edge
    from .autograd.inplace import make_anew

    make_anew(tensor)
    return tensor.edge


def edge_of_written(tensor: Any) -> Any:
    """Return the edge of a Tensor that is about to be written to.

    That is a write to what it is a view of, also where the view was made in `no_grad`.
    """
    if not isinstance(tensor, Tensor):
        return None
    edge, extra = current_edge(tensor), tensor.extra
    if edge is None and extra is not None and extra.base is not None:
        from .autograd.inplace import make_anew

        make_anew(tensor)
    return tensor.edge


def with_memory(array: Any) -> Any:
    """Return an array that can be written to for a number of NumPy.

    NumPy returns its numbers in the place of arrays without dimensions. They cannot be
    written to, nor is there a view of one.
    """
    return np.asarray(array) if isinstance(array, np.generic) else array


def give_memory(array: Any) -> None:
    """Let a Tensor have an array for its value, where it has a number of NumPy."""
    if isinstance(array, Tensor) and isinstance(array.value, np.generic):
        array.value = with_memory(array.value)
