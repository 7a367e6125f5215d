"""Nested containers of arrays, which functions that are transformed take and give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import optree

from ..generated.keys import DISPATCHER


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves of a pytree, and what puts them together again."""
    return optree.tree_flatten(tree, none_is_leaf=True)


def unflatten(structure: Any, leaves: Any) -> Any:
    """Return the pytree with these leaves."""
    return optree.tree_unflatten(structure, leaves)


def map_arrays(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return a pytree with a function applied to each array in it."""
    return optree.tree_map(
        lambda leaf: function(leaf) if is_array(leaf) else leaf, tree, none_is_leaf=True
    )


def is_array(value: Any) -> bool:
    """Whether this is an array of some backend, or a Tensor."""
    return DISPATCHER.arrays.lookup(type(value)) is not None
