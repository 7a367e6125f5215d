"""Gradients and tangents that users give: of the form of what they are given for."""

from __future__ import annotations

from typing import Any

from ...runtime.errors import DirectionError, GradientInputError
from ..arrays import converted, is_array


def in_form_of(function: str, array: Any, given: Any) -> Any:
    """Return a gradient or a tangent of an array, in the dtype of that.

    Raises DirectionError for what is no array, has another shape, or is complex where
    the array is real. ``function`` is what messages say was called.
    """
    shape = tuple(array.shape)
    if not is_array(given):
        raise DirectionError(function, f"an array of shape {shape}", repr(given))
    if len(given.shape) != len(shape) or tuple(given.shape) != shape:
        wanted = f"an array of shape {shape}"
        raise DirectionError(function, wanted, f"of shape {tuple(given.shape)}")
    if given.dtype.kind == "c" and array.dtype.kind != "c":
        wanted = f"a real array, for one of {array.dtype}"
        raise DirectionError(function, wanted, str(given.dtype))
    return converted(given, array.dtype)


def check_differentiable(leaf: Any) -> None:
    """Raise GradientInputError for what no derivative is taken with respect to."""
    if not is_array(leaf):
        kind = type(leaf).__name__
        raise GradientInputError(f"arrays, not {kind}; wrap numbers with numpy.asarray")
    if getattr(leaf.dtype, "kind", "") not in ("f", "c"):
        raise GradientInputError(f"floating-point or complex arrays, not {leaf.dtype}")
