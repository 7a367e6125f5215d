"""Writing a result into the array that was given for it."""

from __future__ import annotations

from typing import Any, Final

from .errors import DtypeError, OutShapeError

#: Kinds of dtypes as NumPy names them, each of which can hold those before it.
_ORDER: Final = ("b", "i", "f", "c")


def write_result(argument: str, out: Any, value: Any) -> None:
    """Write ``value`` to ``out``.

    ``argument`` is what messages call ``out``. Raises OutShapeError unless the shapes
    are equal and DtypeError where ``out`` cannot hold the kind of the result; then
    nothing is written.
    """
    check_result(argument, out, value)
    out[...] = value


def check_result(argument: str, out: Any, value: Any) -> None:
    """Raise what ``write_result`` raises, and write nothing."""
    _check_shape(argument, out, value)
    if not can_hold(out, value):
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, which cannot hold the result's"
            f" {value.dtype}"
        )


def check_exact(argument: str, out: Any, value: Any) -> None:
    """Raise unless ``out`` has the shape and the very dtype of the result."""
    _check_shape(argument, out, value)
    if out.dtype != value.dtype:
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, the result has dtype {value.dtype}"
        )


def _check_shape(argument: str, out: Any, value: Any) -> None:
    if tuple(out.shape) != tuple(value.shape):
        raise OutShapeError(argument, tuple(out.shape), tuple(value.shape))


def can_hold(out: Any, value: Any) -> bool:
    """Whether writing a result loses no more than precision, PyTorch's rule for out.

    Integers may become floating point and not the other way round, and so on. Where a
    dtype does not tell its kind the array's own library decides.
    """
    kinds = [kind_of(array) for array in (out, value)]
    if None in kinds:
        return True
    given, wanted = (_ORDER.index(kind) for kind in kinds if kind is not None)
    return given >= wanted


def kind_of(array: Any) -> str | None:
    """Return b, i, f or c, the kind of a dtype; None where that does not tell."""
    dtype = getattr(array, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if getattr(dtype, "is_complex", False):
        kind = "c"
    elif getattr(dtype, "is_floating_point", False):
        kind = "f"
    kind = "i" if kind == "u" else kind
    return kind if kind in _ORDER else None
