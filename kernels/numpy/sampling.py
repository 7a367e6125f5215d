"""Kernels that draw random numbers.

They draw from NumPy's global bit generator, which ``np.random.seed`` seeds, as
PyTorch's draw from its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Final, TypeAlias

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from .arrays import Array, check_shape
from .dtypes import as_dtype
from .options import check_place

Size: TypeAlias = Sequence[int]
DType: TypeAlias = np.dtype[Any] | None
#: Draws numbers of a shape and a floating-point dtype.
Draw: TypeAlias = Callable[[tuple[int, ...], Any], Array]

_FLOAT64: Final = np.dtype("float64")
_INT64: Final = np.dtype("int64")
#: Dtypes of the real and the imaginary part of complex numbers.
_PARTS: Final = {"complex64": np.dtype("float32"), "complex128": _FLOAT64}
# Any, as NumPy's stubs lack get_bit_generator.
_random: Final[Any] = np.random
#: How many numbers of half precision lie between 0 and 1 at equal distances.
_HALF_STEPS: Final = 2**11


def rand(
    size: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of rand."""
    check_place(layout, device, pin_memory)
    return _draw("rand", _uniform, 1.0, tuple(size), as_dtype(dtype))


def randn(
    size: Size,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of randn."""
    check_place(layout, device, pin_memory)
    # The variances of the two parts of a complex number add up to 1.
    return _draw("randn", _normal, sqrt(0.5), tuple(size), as_dtype(dtype))


def randperm(
    n: int,
    *,
    dtype: Any = "long",
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Array:
    """Kernel of randperm."""
    check_place(layout, device, pin_memory)
    wanted = as_dtype(dtype)
    if wanted is None:
        wanted = _INT64
    check_permutation(n, wanted)
    return np.asarray(_generator().permutation(n), wanted)


def rand_out(size: Size, *, out: Array) -> Array:
    """Kernel of rand.out."""
    check_shape(out, tuple(size))
    np.copyto(out, rand(size, dtype=out.dtype))
    return out


def randn_out(size: Size, *, out: Array) -> Array:
    """Kernel of randn.out."""
    check_shape(out, tuple(size))
    np.copyto(out, randn(size, dtype=out.dtype))
    return out


def randperm_out(n: int, *, out: Array) -> Array:
    """Kernel of randperm.out."""
    check_shape(out, (n,))
    np.copyto(out, randperm(n, dtype=out.dtype))
    return out


def _generator() -> Any:
    # Any, as NumPy's stubs want to know the dtype of what is drawn.
    # Made anew for each call, as the user may have set another bit generator.
    return np.random.Generator(_random.get_bit_generator())


def _draw(
    operator: str, draw: Draw, scale: float, size: tuple[int, ...], dtype: DType
) -> Array:
    """Draw numbers; ``scale`` is for the parts of complex ones."""
    if dtype is None:
        return draw(size, _FLOAT64)
    if dtype.kind == "f":
        return draw(size, dtype)
    if dtype.kind == "c":
        parts = draw((*size, 2), _PARTS[dtype.name])
        parts *= scale
        numbers: Array = parts.view(dtype)[..., 0]
        return numbers
    raise not_random(operator, dtype)


def check_permutation(n: int, dtype: np.dtype[Any]) -> None:
    """Raise ArgumentValueError unless a dtype holds the numbers below ``n``.

    Raises DtypeError for dtypes that permutations are not made in.
    """
    if n < 0:
        raise ArgumentValueError(f"n is {n}; a number of elements is not negative")
    # No array has more elements than int64 counts.
    if dtype != _INT64 and _largest_exact(dtype) < n - 1:
        raise ArgumentValueError(f"n is {n}; {dtype} does not hold all numbers below")


def not_random(operator: str, dtype: np.dtype[Any]) -> DtypeError:
    """Return the error of a dtype that random numbers are not drawn in."""
    return DtypeError(f"{operator} makes floating-point or complex arrays, not {dtype}")


def _uniform(size: tuple[int, ...], dtype: Any) -> Array:
    if dtype.itemsize == 2:
        # Single precision would be rounded, and sometimes to 1, which is left out.
        steps: Array = np.asarray(_generator().integers(0, _HALF_STEPS, size), dtype)
        steps /= _HALF_STEPS
        return steps
    return np.asarray(_generator().random(size, dtype))


def _normal(size: tuple[int, ...], dtype: Any) -> Array:
    drawn_in = np.float32 if dtype.itemsize == 2 else dtype
    return np.asarray(_generator().standard_normal(size, drawn_in), dtype)


def _largest_exact(dtype: np.dtype[Any]) -> int:
    """Return the number up to which a dtype holds every number without a fraction."""
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max)
    if dtype.kind == "f":
        return 1 << (int(np.finfo(dtype).nmant) + 1)
    raise DtypeError(f"randperm makes integers or floats, not {dtype}")
