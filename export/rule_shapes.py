"""Results without values, made by the shape rule of an entry."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import torch
from torch.utils import _pytree

from ..transforms.meta import find_rule, results
from .arrays import unwrapped, wrapped
from .definition import Definition, Function
from .values import number_of, torch_dtype


def rule_kernel(definition: Definition) -> Function:
    """Return a kernel that makes results of the shapes and dtypes of a rule.

    Results are contiguous, and on the device of the first tensor among the arguments.
    What is written to is checked to have the shape of what is written.
    """
    schema = definition.schema
    names = [argument.name for argument in schema.positional]
    # It is imported when it is first needed.
    rule = cache(partial(find_rule, definition.op))

    def kernel(*args: Any, **kwargs: Any) -> Any:
        given = [wrapped(value) for value in args]
        named = {name: wrapped(value) for name, value in kwargs.items()}
        spec = rule()(*given, **named)
        leaves = _pytree.arg_tree_leaves(*args, **kwargs)
        like = next((each for each in leaves if isinstance(each, torch.Tensor)), None)
        device = kwargs.get("device") if like is None else like.device

        def make(one: Any) -> torch.Tensor:
            dtype = torch_dtype(one.dtype, f"a result of {definition.qualified}")
            return torch.empty(unwrapped(tuple(one.shape)), dtype=dtype, device=device)

        by_name = {**dict(zip(names, given, strict=True)), **named}
        found = unwrapped(results(schema, spec, by_name, make))
        return _pytree.tree_map(number_of, found)

    return kernel
