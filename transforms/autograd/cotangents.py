"""Gradients and tangents that users give: of the form of what they are given for."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import GivenGradientError
from ..arrays import is_array


def in_form_of(array: Any, given: Any) -> Any:
    """Return a gradient or a tangent of an array, in the dtype of that.

    Raises GivenGradientError for what is no array, has another shape, or is complex
    where the array is real.
    """
    if not is_array(given):
        raise GivenGradientError(f"has to be an array, not {type(given).__name__}")
    if tuple(given.shape) != tuple(array.shape):
        shapes = f"{tuple(array.shape)}, not {tuple(given.shape)}"
        raise GivenGradientError(f"has the shape of what it is of, {shapes}")
    if given.dtype == array.dtype:
        return given
    if given.dtype.kind == "c" and array.dtype.kind != "c":
        dtypes = f"{array.dtype}, not {given.dtype}"
        raise GivenGradientError(f"is real where what it is of is real, {dtypes}")
    return ops._to_copy(given, dtype=array.dtype)
