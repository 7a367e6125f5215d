"""The positional arguments with respect to which derivatives are taken."""

from __future__ import annotations

from typing import Any

from ...runtime.errors import DirectionError, GradientInputError
from ..arrays import is_array

ArgNums = int | tuple[int, ...]


def places_of(argnums: ArgNums) -> tuple[int, ...]:
    """Return the places as a tuple."""
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def arguments_at(args: tuple[Any, ...], argnums: ArgNums) -> tuple[Any, ...]:
    """Return the arguments at some places.

    Raises GradientInputError where there are none, and for one named twice.
    """
    places = places_of(argnums)
    if len({place % max(len(args), 1) for place in places}) < len(places):
        raise GradientInputError(f"each argument once, not {argnums}")
    for place in places:
        if not -len(args) <= place < len(args):
            raise GradientInputError(
                f"an argument at {place}, and the call has {len(args)} positional ones"
            )
    return tuple(args[place] for place in places)


def check_directions(
    function: str,
    wanted: str,
    likes: tuple[list[Any], Any],
    directions: tuple[list[Any], Any],
) -> None:
    """Raise DirectionError where a pytree has not the structure and shapes of another.

    Both are given as their leaves and their structure; ``wanted`` names the other.
    """
    if likes[1] != directions[1]:
        wanted = f"a pytree like {wanted}, {likes[1]}"
        raise DirectionError(function, wanted, str(directions[1]))
    for like, direction in zip(likes[0], directions[0], strict=True):
        if not is_array(like):
            continue
        shape, given = tuple(like.shape), tuple(getattr(direction, "shape", ()))
        if len(shape) != len(given) or shape != given:
            wanted = f"arrays of the shapes of {wanted}, {shape}"
            raise DirectionError(function, wanted, str(given))


def replaced(args: tuple[Any, ...], argnums: ArgNums, values: Any) -> list[Any]:
    """Return the arguments with others at some places."""
    found = list(args)
    for place, value in zip(places_of(argnums), values, strict=True):
        found[place] = value
    return found
