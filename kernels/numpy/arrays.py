"""Arrays: the types in the signatures of kernels, and the arrays they write to."""

from __future__ import annotations

from typing import Any, Final, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from ...runtime.errors import ArgumentValueError, DtypeError, OutShapeError

#: An array of any dtype. A NumPy scalar, which is what NumPy makes of a result
#: without dimensions, is taken in its place.
Array: TypeAlias = npt.NDArray[Any]
#: A Python number: weak, it takes on the dtype of the arrays that it meets.
Scalar: TypeAlias = bool | int | float | complex
#: ``int[1]? dim``: one dimension, several, or None for all.
Dims: TypeAlias = SupportsIndex | list[int] | tuple[int, ...] | None

#: So few elements are searched, by ``argmax`` and its like, in a third of the time that
#: a ufunc takes to get ready to reduce them. Many that are not contiguous are not.
FEW: Final = 100


def copied(array: Array) -> Array:
    """Return a new array with the elements and the order in memory of another."""
    return np.array(array, order="K")


def check_shape(out: Array, expected: tuple[int, ...], argument: str = "out") -> None:
    """Raise OutShapeError unless ``out`` has the shape of the result."""
    if out.shape != expected:
        raise OutShapeError(argument, out.shape, expected)


def broadcast(array: Array, shape: tuple[int, ...], argument: str) -> Array:
    """Return a read-only view of an array in another shape.

    Raises ArgumentValueError where it does not broadcast; ``argument`` is its name.
    """
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ArgumentValueError(
            f"{argument} has shape {array.shape}, which does not broadcast to {shape}"
        ) from None


def check_dtype(out: Array, expected: np.dtype[Any], argument: str = "out") -> None:
    """Raise DtypeError unless ``out`` has the dtype of the result."""
    if out.dtype != expected:
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, the result has dtype {expected}"
        )


def check_broadcast(out: Array, first: Array, second: Array) -> None:
    """Raise OutShapeError unless two operands broadcast to the shape of ``out``.

    NumPy refuses an ``out`` that is too small and repeats the result in one that is
    too large. So an operand of the very shape of ``out`` leaves all to NumPy.
    """
    shape = out.shape
    # A number given where an array is expected arrives as it is.
    if getattr(first, "shape", ()) != shape and getattr(second, "shape", ()) != shape:
        check_shape(out, np.broadcast_shapes(np.shape(first), np.shape(second)))
