"""`jvp`, `jacfwd`, `jacrev` and `hessian`: derivatives of functions as arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import accumulate
from math import prod
from typing import Any

from ... import generated as ops
from ..arrays import converted
from ..batches.functions import vmap
from ..batching.call import Randomness
from ..layers import opened
from ..pytree import flatten, unflatten
from .arguments import arguments_at, check_structure, replaced
from .cotangents import check_differentiable, in_form_of
from .forward import DualTensor, JvpLayer, current_tangent
from .functions import vjp
from .results import check_arrays, split

Function = Callable[..., Any]
ArgNums = int | tuple[int, ...]


def jvp(function: Function, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Return the value of a function and its derivative along a direction.

    ``primals`` are its positional arguments and ``tangents`` the direction, a tuple of
    the same structure. With ``has_aux`` the function returns a pair, and its second
    part comes as a third result.

    Raises DirectionError where the two do not fit together,
    GradientInputError for arguments that are no floating-point arrays.
    """
    layer = JvpLayer()
    leaves, structure = flatten(tuple(primals))
    directions, given = flatten(tuple(tangents))
    check_structure("jvp", "the primals", structure, given)
    for leaf in leaves:
        check_differentiable(leaf)
    wrapped = [
        layer.wrap(leaf, in_form_of("jvp", leaf, direction))
        for leaf, direction in zip(leaves, directions, strict=True)
    ]
    with layer.guard:
        result = function(*unflatten(structure, wrapped))
    value, aux = split(result, has_aux)
    results, shape = flatten(value)
    check_arrays(results)
    values = [opened(one, layer.level) for one in results]
    moved = [_tangent(one, layer.level) for one in results]
    found = unflatten(shape, values), unflatten(shape, moved)
    if not has_aux:
        return found
    extra, extra_shape = flatten(aux)
    return *found, unflatten(extra_shape, [opened(one, layer.level) for one in extra])


def jacrev(
    function: Function,
    argnums: ArgNums = 0,
    has_aux: bool = False,
    *,
    randomness: Randomness = "error",
) -> Function:
    """Return a function that computes the Jacobian of another one, in reverse mode.

    For each array that ``function`` returns and each array in the argument at
    ``argnums`` it has the array of derivatives, with the dimensions of the former
    before those of the latter: a pytree like the result of pytrees like the argument,
    or of tuples of them for several places. Cheaper than `jacfwd` where there are more
    inputs than outputs.
    """

    @wraps(function)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = arguments_at(args, argnums)

        def of_chosen(*values: Any) -> Any:
            return function(*replaced(args, argnums, values), **kwargs)

        value, pull_back, *aux = vjp(of_chosen, *chosen, has_aux=has_aux)
        results, structure = flatten(value)
        check_arrays(results)
        basis = _basis(results)
        pulled = vmap(
            lambda *rows: pull_back(unflatten(structure, rows)), randomness=randomness
        )(*basis)
        inputs, inner = flatten(pulled)
        rows = _shaped_rows(results, inputs)
        blocks = [_selected(unflatten(inner, row), argnums) for row in rows]
        found = unflatten(structure, blocks)
        return (found, *aux) if has_aux else found

    return jacobian


def jacfwd(
    function: Function,
    argnums: ArgNums = 0,
    has_aux: bool = False,
    *,
    randomness: Randomness = "error",
) -> Function:
    """Return a function that computes the Jacobian of another one, in forward mode.

    As `jacrev`. Cheaper where there are fewer inputs than outputs.
    """

    @wraps(function)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = arguments_at(args, argnums)
        leaves, structure = flatten(chosen)
        for leaf in leaves:
            check_differentiable(leaf)

        def of_chosen(*values: Any) -> Any:
            return function(*replaced(args, argnums, values), **kwargs)

        def pushed(*columns: Any) -> Any:
            return jvp(of_chosen, chosen, unflatten(structure, columns), has_aux)[1:]

        moved, *aux = vmap(
            pushed, out_dims=(0, None) if has_aux else 0, randomness=randomness
        )(*_basis(leaves))
        results, outer = flatten(moved)
        columns = [_columns(one, leaves) for one in results]
        blocks = [
            _selected(unflatten(structure, column), argnums) for column in columns
        ]
        found = unflatten(outer, blocks)
        return (found, *aux) if has_aux else found

    return jacobian


def hessian(function: Function, argnums: ArgNums = 0) -> Function:
    """Return a function that computes the second derivatives of another one.

    They are the Jacobian in forward mode of the Jacobian in reverse mode.
    """
    return jacfwd(jacrev(function, argnums), argnums)


def _tangent(value: Any, level: int) -> Any:
    if isinstance(value, DualTensor) and value.level == level:
        return current_tangent(value)
    return ops.zeros_like(opened(value, level))


def _selected(found: tuple[Any, ...], argnums: ArgNums) -> Any:
    return found[0] if isinstance(argnums, int) else found


def _basis(arrays: list[Any]) -> list[Any]:
    """Return the unit vectors of all elements of some arrays, one batch for each array.

    Each batch has as many items as there are elements in all arrays together.
    """
    sizes = [prod(array.shape) for array in arrays]
    *starts, total = accumulate(sizes, initial=0)
    return [
        _units(array, size, start, total)
        for array, size, start in zip(arrays, sizes, starts, strict=True)
    ]


def _units(array: Any, size: Any, start: Any, total: Any) -> Any:
    """Return unit vectors: 1 where the item is ``start`` plus the element."""
    column = ops.cumsum(ops.new_ones(array, [total]), 0)
    row = ops.add(ops.cumsum(ops.new_ones(array, [size]), 0), start)
    found = ops.eq(ops.unsqueeze(column, 1), ops.unsqueeze(row, 0))
    units = converted(found, array.dtype)
    return ops.reshape(units, [total, *array.shape])


def _shaped_rows(results: list[Any], pulled: list[Any]) -> list[list[Any]]:
    """Return, for each result, the derivatives with respect to each input."""
    sizes = [prod(one.shape) for one in results]
    rows = [ops.split_with_sizes(one, sizes, 0) for one in pulled]
    return [
        [
            ops.reshape(part[n], [*result.shape, *one.shape[1:]])
            for part, one in zip(rows, pulled, strict=True)
        ]
        for n, result in enumerate(results)
    ]


def _columns(moved: Any, leaves: list[Any]) -> list[Any]:
    """Return the derivatives of one result with respect to each input.

    ``moved`` has the dimension of all elements of all inputs before its own.
    """
    sizes = [prod(leaf.shape) for leaf in leaves]
    rank = len(moved.shape)
    found: list[Any] = []
    for part, leaf in zip(ops.split_with_sizes(moved, sizes, 0), leaves, strict=True):
        last = ops.permute(part, [*range(1, rank), 0])
        found.append(ops.reshape(last, [*moved.shape[1:], *leaf.shape]))
    return found
