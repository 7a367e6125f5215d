"""`checkpoint`: what a function computes on the way is computed again in backward."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ... import generated as ops
from ...generated.keys import DISPATCHER
from ...runtime.errors import ChangedValueError
from ..arrays import is_array
from ..layers import outside_of
from ..pytree import flatten, unflatten
from ..tensor import Tensor, counter_of, recorded
from .engine import Onward
from .functions import vjp
from .grad_mode import is_recording, recording
from .node import Node

Function = Callable[..., Any]


def checkpoint(function: Function) -> Function:
    """Return a function that keeps its arguments only, not what it computes on the way.

    When gradients go through it, it is called again and recorded then: memory is saved
    at the price of a second call. It should do the same both times. Inside `grad` and
    the like, everything that is differentiated has to be an argument; with `backward`,
    Tensors that the function uses otherwise get their gradients as well.

    Going back raises ChangedValueError where an argument has been written to since.
    """

    @wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten((args, kwargs))
        level = max((x.level for x in leaves if isinstance(x, Tensor)), default=0)
        tracked = tuple(_edge(leaf, level) for leaf in leaves)

        def call(*values: Any) -> Any:
            given, named = unflatten(structure, values)
            return function(*given, **named)

        if not any(tracked) or not is_recording(level):
            return call(*leaves)
        values = [_opened(leaf, level) for leaf in leaves]
        saved = (call, values, tracked, [*map(_version_of, leaves)])
        result = _unrecorded(call, values, level)
        results, shape = flatten(result)
        node = Node(_of_layer if level else _of_tape, saved, tracked, "checkpoint")
        node.results = max(len(results), 2)
        node.likes = [
            (r.shape, r.dtype) if is_array(r) else ((), None) for r in results
        ]
        bits = next(
            leaf.bits for leaf, edge in zip(leaves, tracked, strict=True) if edge
        )
        made = [_result(one, node, n, level, bits) for n, one in enumerate(results)]
        return unflatten(shape, made)

    return checkpointed


def _result(one: Any, node: Node, place: int, level: int, bits: int) -> Any:
    if not is_array(one) or one.dtype.kind not in "fc":
        return one
    if level or not isinstance(one, Tensor):
        return recorded(one, level, (node, place), bits)
    # It may be an argument, or a view of one.
    return recorded(one.value, 0, (node, place), bits, counter_of(one))


def _edge(leaf: Any, level: int) -> Any:
    if not isinstance(leaf, Tensor) or leaf.level != level:
        return None
    return leaf.current_edge


def _opened(leaf: Any, level: int) -> Any:
    """Return the value of a Tensor of the level; one of the tape stays a Tensor."""
    if not isinstance(leaf, Tensor) or leaf.level != level:
        return leaf
    if level:
        return leaf.value
    opened = Tensor(leaf.value)
    opened.counter = counter_of(leaf)
    return opened


def _version_of(leaf: Any) -> tuple[list[int], int]:
    """Return the count of writes to the memory of an argument, and what it is now."""
    counter = counter_of(leaf) if isinstance(leaf, Tensor) else [0]
    return counter, counter[0]


def _unrecorded(call: Function, values: Any, level: int) -> Any:
    if level:
        return outside_of(level, call, *values)
    with DISPATCHER.below_autograd():
        return outside_of(1, call, *values)


def _check_unchanged(counters: list[tuple[list[int], int]]) -> None:
    for place, (counter, saved) in enumerate(counters):
        if counter[0] != saved:
            what = f"its argument {place}"
            raise ChangedValueError("checkpoint", what, saved, counter[0])


def _of_layer(node: Node, grads: Any, record: bool) -> Any:
    """Return the gradients inside a transform: those of the call one level out."""
    del record
    call, values, tracked, counters = node.saved
    _check_unchanged(counters)
    places = [n for n, edge in enumerate(tracked) if edge is not None]

    def of_tracked(*chosen: Any) -> Any:
        given = list(values)
        for place, value in zip(places, chosen, strict=True):
            given[place] = value
        return flatten(call(*given))[0]

    result, pull_back = vjp(of_tracked, *[values[n] for n in places])
    found = pull_back(_filled(grads, result))
    by_place = dict(zip(places, found, strict=True))
    return tuple(by_place.get(n) for n in range(len(tracked)))


def _of_tape(node: Node, grads: Any, record: bool) -> Any:
    """Record the call and go on through that.

    The new nodes lead where those of the arguments and of whatever else the function
    uses did, so all parts of their gradients meet before anything is done with them.
    """
    del record
    call, values, tracked, counters = node.saved
    _check_unchanged(counters)
    given = [
        value if edge is None else recorded(value.value, 0, edge, None, value.counter)
        for value, edge in zip(values, tracked, strict=True)
    ]
    with recording():
        results = flatten(outside_of(1, call, *given))[0]
    pairs = [
        (one.current_edge, grad)
        for one, grad in zip(results, grads, strict=False)
        if isinstance(one, Tensor)
    ]
    return Onward(*zip(*pairs, strict=True))


def _filled(grads: Any, results: Any) -> list[Any]:
    return [
        ops.zeros_like(result) if grad is None and is_array(result) else grad
        for grad, result in zip(grads, results, strict=False)
    ]
