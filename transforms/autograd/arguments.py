"""The positional arguments with respect to which derivatives are taken."""

from __future__ import annotations

from typing import Any

from ...runtime.errors import DirectionError, GradientInputError

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


def check_structure(function: str, wanted: str, structure: Any, given: Any) -> None:
    """Raise DirectionError where a pytree has not the structure that it has to have.

    ``function`` takes it, and ``wanted`` is what it has to be like.
    """
    if structure != given:
        raise DirectionError(
            function, f"a pytree like {wanted}, {structure}", str(given)
        )


def replaced(args: tuple[Any, ...], argnums: ArgNums, values: Any) -> list[Any]:
    """Return the arguments with others at some places."""
    found = list(args)
    for place, value in zip(places_of(argnums), values, strict=True):
        found[place] = value
    return found
