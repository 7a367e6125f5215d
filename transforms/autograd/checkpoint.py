"""`checkpoint`: what a function computes on the way is computed again in backward."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...generated.keys import DISPATCHER
from ..arrays import is_array
from ..layers import outside
from ..pytree import flatten, unflatten
from ..tensor import Tensor, recorded, requiring_grad
from .engine import run_backward
from .functions import vjp
from .inplace import current_edge
from .node import Node

Function = Callable[..., Any]


def checkpoint(function: Function) -> Function:
    """Return a function that keeps its arguments only, not what it computes on the way.

    When gradients go through it, it is called again and recorded then: memory is saved
    at the price of a second call. It should do the same both times. Inside `grad` and
    the like, everything that is differentiated has to be an argument; with `backward`,
    Tensors that the function uses otherwise get their gradients as well.
    """

    @wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten((args, kwargs))
        level = max((x.level for x in leaves if isinstance(x, Tensor)), default=0)
        tracked = [_edge(leaf, level) for leaf in leaves]

        def call(*values: Any) -> Any:
            given, named = unflatten(structure, values)
            return function(*given, **named)

        if not any(tracked):
            return call(*leaves)
        values = [_opened(leaf, level) for leaf in leaves]
        backward = _of_layer if level else _of_tape
        result = _unrecorded(call, values, level)
        results, shape = flatten(result)
        node = Node(backward, (call, values, tracked), tuple(tracked), "checkpoint")
        node.results = max(len(results), 2)
        node.likes = [
            (r.shape, r.dtype) if is_array(r) else ((), None) for r in results
        ]
        bits = next(
            leaf.bits for leaf, edge in zip(leaves, tracked, strict=True) if edge
        )
        made = [
            (
                recorded(_opened(one, level), level, (node, n), bits)
                if is_array(one) and one.dtype.kind in "fc"
                else one
            )
            for n, one in enumerate(results)
        ]
        return unflatten(shape, made)

    return checkpointed


def _edge(leaf: Any, level: int) -> Any:
    if not isinstance(leaf, Tensor) or leaf.level != level:
        return None
    return current_edge(leaf)


def _opened(leaf: Any, level: int) -> Any:
    """Return the value of a Tensor of the level; one of the tape stays a Tensor."""
    if isinstance(leaf, Tensor) and leaf.level == level:
        return leaf.value if level else Tensor(leaf.value)
    return leaf


def _unrecorded(call: Function, values: Any, level: int) -> Any:
    if level:
        return outside(DISPATCHER.state.get(), call, values, {})
    with DISPATCHER.below_autograd():
        return call(*values)


def _of_layer(node: Node, grads: Any, record: bool) -> Any:
    """Return the gradients inside a transform: those of the call one level out."""
    del record
    call, values, tracked = node.saved
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
    """Return the gradients for `backward`; Tensors met on the way get theirs."""
    call, values, tracked = node.saved
    fresh = [
        value if edge is None else requiring_grad(value.value)
        for value, edge in zip(values, tracked, strict=True)
    ]
    results = flatten(call(*fresh))[0]
    roots = [
        (edge, grad)
        for one, grad in zip(results, grads, strict=False)
        if grad is not None
        and isinstance(one, Tensor)
        and (edge := current_edge(one)) is not None
    ]
    run_backward(roots, record=record)
    return tuple(
        None if edge is None else _taken(value)
        for value, edge in zip(fresh, tracked, strict=True)
    )


def _taken(tensor: Any) -> Any:
    grad = tensor.grad
    return None if grad is None else grad.value if grad.edge is None else grad


def _filled(grads: Any, results: Any) -> list[Any]:
    from ... import generated as ops

    return [
        ops.zeros_like(result) if grad is None else grad
        for grad, result in zip(grads, results, strict=False)
    ]
