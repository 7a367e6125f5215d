"""Names for the inputs of a graph: those of parameters, and what is in pytrees."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import optree


def input_names(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    """Return a name for each leaf of a call's arguments, in the order of `flatten`.

    A leaf in a container is called after the parameter and the keys, fields and places
    that lead to it, as in ``weights_layers_0``.
    """
    positional = _positional_names(function, len(args))
    found: list[str] = []
    tree: Any = (args, kwargs)
    paths: list[Any] = optree.tree_accessors(tree, none_is_leaf=True)
    for path in paths:
        group, argument = path[0].entry, path[1].entry
        name: str = argument if group else positional[int(argument)]
        found.append("_".join([name, *map(_step, path[2:])]))
    return found


def _positional_names(function: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the first parameters; of their places without a signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [f"x{n}" for n in range(count)]
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = range(count - len(names))
            names += [f"{parameter.name}_{n}" for n in rest]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
    return names


def _step(entry: Any) -> str:
    """Return what leads one container deeper: a key, a field, or a place."""
    field = getattr(entry, "field", None)
    return str(entry.entry if field is None else field)
