"""Nested containers of arrays, which functions that are transformed take and give."""

from __future__ import annotations

from typing import Any

import optree


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves of a pytree, and what puts them together again."""
    return optree.tree_flatten(tree, none_is_leaf=True)


def unflatten(structure: Any, leaves: Any) -> Any:
    """Return the pytree with these leaves."""
    return optree.tree_unflatten(structure, leaves)
