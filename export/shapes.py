"""Results without values, which PyTorch traces programs with: made by shape rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _pytree

from ..runtime.schema import Return
from .definition import Definition, Function


def shape_kernel(definition: Definition, rule: Function) -> Function:
    """Return a kernel that makes results of the shapes that a rule returns.

    A rule takes the arguments of the operator and returns, for each result, its sizes,
    or a tensor. Sizes mean a contiguous tensor with dtype and device of the first
    tensor among the arguments. For several results it returns a tuple.
    """
    returns = definition.schema.returns

    def kernel(*args: Any, **kwargs: Any) -> Any:
        results = rule(*args, **kwargs)
        like = next(_tensors(args, kwargs), None)
        if len(returns) == 1:
            return _result(results, returns[0], like, definition)
        if not isinstance(results, (tuple, list)) or len(results) != len(returns):
            raise ValueError(
                f"{definition.qualified}: its shape rule returned {results!r}, and has"
                f" to return {len(returns)} shapes"
            )
        pairs = zip(results, returns, strict=True)
        return tuple(_result(each, ret, like, definition) for each, ret in pairs)

    return kernel


def _tensors(args: Any, kwargs: Any) -> Iterator[torch.Tensor]:
    leaves = _pytree.arg_tree_leaves(*args, **kwargs)
    return (leaf for leaf in leaves if isinstance(leaf, torch.Tensor))


def _result(
    shape: Any, ret: Return, like: torch.Tensor | None, definition: Definition
) -> Any:
    """Return one result; what is neither sizes nor a list of shapes stays as it is."""
    if isinstance(shape, torch.Tensor) or ret.type.base.name != "Tensor":
        return shape
    if ret.type.kind == "list":
        return [_tensor(each, like, definition) for each in shape]
    return _tensor(shape, like, definition)


def _tensor(shape: Any, like: torch.Tensor | None, definition: Definition) -> Any:
    if isinstance(shape, torch.Tensor):
        return shape
    if like is None:
        raise ValueError(
            f"{definition.qualified}: its shape rule returned sizes, and there is no"
            " tensor to take dtype and device of; return torch.empty(sizes, dtype=...)"
        )
    try:
        return like.new_empty(tuple(shape))
    except TypeError as error:
        raise TypeError(
            f"{definition.qualified}: its shape rule returned {shape!r} where the sizes"
            " of one tensor have to be"
        ) from error
