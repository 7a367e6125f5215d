"""Generated arguments for operators: the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FLOATS = ("float32", "float64")
NUMBERS = (*FLOATS, "int32", "int64", "complex64")
ALL = (*NUMBERS, "bool")

#: Shapes of one array: none, one and several dimensions, sizes 0 and 1 among them.
SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (4,), (0,), (2, 3), (3, 0), (2, 1, 3))

#: Pairs of shapes that broadcast.
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *((shape, shape) for shape in SHAPES),
    ((2, 3), (3,)),
    ((3, 1), (1, 4)),
    ((), (2, 2)),
    ((2, 3), ()),
    ((1, 3), (0, 1, 1)),
)


class Call(NamedTuple):
    """The arguments of one call, arrays among them as NumPy arrays."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def call(*args: Any, **kwargs: Any) -> Call:
    """Write a case as the call that it is."""
    return Call(args, kwargs)


def array(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Array:
    """Return an array of small numbers: the same for the same arguments."""
    random = np.random.default_rng([seed, *shape])
    if dtype == "bool":
        return np.asarray(random.integers(0, 2, shape), dtype=dtype)
    numbers: Any = random.integers(-8, 9, shape)
    if dtype.startswith("float"):
        numbers = numbers / 4
    if dtype.startswith("complex"):
        numbers = numbers / 4 + 1j * random.integers(-8, 9, shape)
    return np.asarray(numbers, dtype=dtype)


def special(dtype: str) -> Array:
    """Return the floating-point numbers that are treated in ways of their own."""
    return np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan], dtype=dtype)


def unary(dtypes: tuple[str, ...]) -> Iterator[Array]:
    """Yield arrays of all shapes and dtypes, a transposed one and special numbers."""
    for dtype in dtypes:
        yield from (array(shape, dtype) for shape in SHAPES)
        yield array((2, 3), dtype).T
        if dtype in FLOATS:
            yield special(dtype)


def binary(dtypes: tuple[str, ...]) -> Iterator[tuple[Array, Array]]:
    """Yield pairs of arrays that broadcast, and all pairs of special numbers."""
    for dtype in dtypes:
        yield from ((array(a, dtype, 1), array(b, dtype, 2)) for a, b in PAIRS)
        if dtype in FLOATS:
            yield special(dtype), special(dtype)[:, None]


def in_place(dtypes: tuple[str, ...]) -> Iterator[tuple[Array, Array]]:
    """Yield those pairs whose second array broadcasts to the first."""
    for left, right in binary(dtypes):
        if np.broadcast_shapes(left.shape, right.shape) == left.shape:
            yield left, right


def scalars(dtype: str) -> tuple[Any, ...]:
    """Return Python numbers that do not raise the kind of arrays of a dtype."""
    if dtype.startswith("complex"):
        return (2, -0.5, 1 - 2j)
    return (2, -0.5) if dtype in FLOATS else (2, -3)


def result(left: Array, right: Array) -> Array:
    """Return an array that the result of a pointwise operator can be written to."""
    return np.zeros(np.broadcast_shapes(left.shape, right.shape), left.dtype)


def dims(ndim: int) -> Iterator[Any]:
    """Yield every dimension from either end, as a number, and all, and several."""
    yield from range(-max(ndim, 1), max(ndim, 1))
    yield from ([], None, [0])
    if ndim > 1:
        yield from ([0, -1], [ndim - 1, 0])
