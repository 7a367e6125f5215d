"""`vmap`: a function of one item as a function of a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import optree

from ... import generated as ops
from ...runtime.errors import VmapError
from ..arrays import is_array
from ..batching.call import Randomness
from ..pytree import flatten, unflatten
from ..tensor import Tensor
from .layer import VmapLayer

Function = Callable[..., Any]
_RANDOMNESS: Final = ("error", "same", "different")


def vmap(
    function: Function,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: Randomness = "error",
    *,
    loop: bool = False,
) -> Function:
    """Return a function that applies another one to every item of a batch at once.

    ``in_dims`` says along which dimension of each positional argument the items are:
    one int for all, or a tuple with an int, a pytree of them, or None for what all
    items share. Keyword arguments are shared out along their first dimension.
    ``out_dims`` says where the dimension of the batch goes in the results. Operators
    that draw random numbers raise with ``randomness`` "error", draw once for all items
    with "same" and for each of them with "different". With ``loop``, an operator
    without a batching rule is called once for each item, with one warning.

    Raises VmapError where the arguments are no batch of one size.
    """
    if randomness not in _RANDOMNESS:
        raise VmapError(f"randomness is {randomness!r}; it can be {_RANDOMNESS}")

    @wraps(function)
    def batched(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten((args, kwargs))
        dims = [
            *_dims_of(in_dims, args, "in_dims"),
            *(0 if is_array(leaf) else None for leaf in flatten(kwargs)[0]),
        ]
        size = _size(leaves, dims)
        layer = VmapLayer(size, randomness, loop)
        given = [
            leaf if dim is None else layer.wrap(_to_front(leaf, dim))
            for leaf, dim in zip(leaves, dims, strict=True)
        ]
        given_args, given_kwargs = unflatten(structure, given)
        with layer.guard:
            result = function(*given_args, **given_kwargs)
        results, shape = flatten(result)
        places = _dims_of(out_dims, result, "out_dims")
        made = [
            _from_front(one, place, layer)
            for one, place in zip(results, places, strict=True)
        ]
        return unflatten(shape, made)

    return batched


def _dims_of(dims: Any, tree: Any, what: str) -> list[int | None]:
    """Return the dimension for each leaf of a pytree."""
    try:
        spread = optree.tree_broadcast_prefix(dims, tree, none_is_leaf=True)
    except ValueError as error:
        raise VmapError(f"{what} does not fit what it is for: {error}") from None
    found = flatten(spread)[0]
    for dim in found:
        if dim is not None and type(dim) is not int:
            raise VmapError(f"{what} has ints and None, not {type(dim).__name__}")
    return found


def _size(leaves: list[Any], dims: list[int | None]) -> Any:
    """Return the size of the batch."""
    size: Any = None
    for leaf, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not is_array(leaf):
            kind = type(leaf).__name__
            raise VmapError(
                f"in_dims is {dim} for {kind}, which has no items: say None"
            )
        rank = len(leaf.shape)
        if not -rank <= dim < rank:
            raise VmapError(f"in_dims is {dim} for an array with {rank} dimensions")
        if size is None:
            size = leaf.shape[dim]
        elif size is not leaf.shape[dim] and size != leaf.shape[dim]:
            sizes = f"{size} and {leaf.shape[dim]}"
            raise VmapError(f"the arguments are batches of different sizes, {sizes}")
    if size is None:
        raise VmapError("no argument is a batch: some in_dims has to be an int")
    return size


def _to_front(array: Any, dim: int) -> Any:
    rank = len(array.shape)
    dim %= rank
    if dim == 0:
        return array
    return ops.permute(array, [dim, *(n for n in range(rank) if n != dim)])


def _from_front(value: Any, dim: int | None, layer: VmapLayer) -> Any:
    """Return a result with the dimension of the batch where it is wanted."""
    mine = isinstance(value, Tensor) and value.level == layer.level
    if dim is None:
        if mine:
            raise VmapError(
                "out_dims is None for a result that differs among the items"
            )
        return value
    if not is_array(value):
        kind = type(value).__name__
        raise VmapError(f"the function returns arrays, not {kind}, or out_dims is None")
    if mine:
        array = value.value
    else:
        shape = [layer.size, *value.shape]
        array = ops.expand(value, shape)
    rank = len(array.shape)
    if not -rank <= dim < rank:
        raise VmapError(f"out_dims is {dim} for a result with {rank} dimensions")
    dim %= rank
    if dim == 0:
        return array
    return ops.permute(array, [*range(1, dim + 1), 0, *range(dim + 1, rank)])
