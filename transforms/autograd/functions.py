"""`grad`, `grad_and_value` and `vjp`: gradients of functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ... import generated as ops
from ...runtime.errors import GradientOutputError
from ..arrays import is_array
from ..layers import opened
from ..pytree import flatten, unflatten
from ..tensor import Tensor
from .arguments import ArgNums, arguments_at, check_structure, replaced
from .cotangents import check_differentiable, in_form_of
from .engine import run_backward
from .layer import GradLayer
from .leaf import Leaf
from .node import Edge
from .results import split

Function = Callable[..., Any]


def grad(function: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of another one.

    ``function`` returns one real number, an array without dimensions. The gradient is
    with respect to the argument at ``argnums``, a pytree of floating-point arrays, and
    has its structure; with several places it is a tuple. With ``has_aux`` the function
    returns a pair, and its second part is returned beside the gradient.

    Raises GradientInputError and GradientOutputError for what has no gradient.
    """
    both = grad_and_value(function, argnums, has_aux)

    @wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return gradient


def grad_and_value(
    function: Function, argnums: ArgNums = 0, has_aux: bool = False
) -> Function:
    """Return a function that computes the gradient and the value of another one.

    As `grad`, but what it returns is a pair of the gradient and whatever ``function``
    returns.
    """

    @wraps(function)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        layer = GradLayer()
        trees = [flatten(argument) for argument in arguments_at(args, argnums)]
        wrapped = [[_wrapped(layer, leaf) for leaf in leaves] for leaves, _ in trees]
        values = [
            unflatten(structure, leaves)
            for (_, structure), leaves in zip(trees, wrapped, strict=True)
        ]
        given = replaced(args, argnums, values)
        with layer.guard:
            result = function(*given, **kwargs)
        value, aux = split(result, has_aux)
        _check_scalar(value)
        (edge,) = _edges([value], layer)
        if edge is not None:
            run_backward([(edge, ops.full_like(value.value, 1))])
        grads = [
            unflatten(structure, [_gradient(leaf) for leaf in leaves])
            for (_, structure), leaves in zip(trees, wrapped, strict=True)
        ]
        found = grads[0] if isinstance(argnums, int) else tuple(grads)
        closed = _closed(value, layer.level)
        return found, (closed, _closed(aux, layer.level)) if has_aux else closed

    return gradient_and_value


def vjp(function: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return the value of a function, and a function of vectors times its Jacobian.

    The function that is returned takes a pytree like the value, and returns a tuple of
    gradients with the structure of each of the ``primals``. With ``has_aux`` the
    function returns a pair, and its second part comes as a third result.
    """
    layer = GradLayer()
    trees = [flatten(primal) for primal in primals]
    wrapped = [[_wrapped(layer, leaf) for leaf in leaves] for leaves, _ in trees]
    given = [
        unflatten(structure, leaves)
        for (_, structure), leaves in zip(trees, wrapped, strict=True)
    ]
    with layer.guard:
        result = function(*given)
    value, aux = split(result, has_aux)
    results, structure = flatten(value)

    def pull_back(*cotangents: Any) -> Any:
        tree = cotangents[0] if len(cotangents) == 1 else cotangents
        vectors, given = flatten(tree)
        name = "the second result of vjp"
        check_structure(name, "the value", structure, given)
        edges = _edges(results, layer)
        vectors = [
            in_form_of(name, result, vector) if is_array(result) else vector
            for result, vector in zip(results, vectors, strict=True)
        ]
        roots = [(e, v) for e, v in zip(edges, vectors, strict=True) if e is not None]
        for leaves in wrapped:
            for leaf in leaves:
                _leaf_of(leaf).grad = None
        run_backward(roots, keep=True)
        return tuple(
            unflatten(shape, [_gradient(leaf) for leaf in leaves])
            for (_, shape), leaves in zip(trees, wrapped, strict=True)
        )

    closed = _closed(value, layer.level)
    if has_aux:
        return closed, pull_back, _closed(aux, layer.level)
    return closed, pull_back


def _wrapped(layer: GradLayer, leaf: Any) -> Tensor:
    check_differentiable(leaf)
    return layer.wrap(leaf)


def _edges(results: list[Any], layer: GradLayer) -> list[Edge | None]:
    """Return the edge of each result, None where no argument has a part in it."""
    return [
        (
            one.current_edge
            if isinstance(one, Tensor) and one.level == layer.level
            else None
        )
        for one in results
    ]


def _leaf_of(wrapped: Tensor) -> Leaf:
    # Leaves cannot be changed in place, so this is still the edge it was made with.
    leaf = wrapped.edge
    assert isinstance(leaf, Leaf)
    return leaf


def _gradient(wrapped: Tensor) -> Any:
    grad = _leaf_of(wrapped).grad
    return ops.zeros_like(wrapped.value) if grad is None else grad


def _check_scalar(value: Any) -> None:
    if not is_array(value):
        advice = "return the array itself, since numbers made of it carry no gradient"
        raise GradientOutputError(type(value).__name__, advice)
    advice = "sum it up, or use vjp or jacrev"
    if len(value.shape) != 0:
        raise GradientOutputError(f"shape {tuple(value.shape)}", advice)
    if value.dtype.kind == "c":
        raise GradientOutputError(f"dtype {value.dtype}", advice)


def _closed(tree: Any, level: int) -> Any:
    leaves, structure = flatten(tree)
    return unflatten(structure, [opened(leaf, level) for leaf in leaves])
