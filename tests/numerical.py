"""Derivatives by difference quotients, and the functions that calls are for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from keyslot import OpOverload
from keyslot.runtime.writing import kind_of

from .oracle.op_arguments import Array, Call

#: A function of arrays that returns arrays.
ArrayFunction: TypeAlias = Callable[..., tuple[Any, ...]]
#: The step of a central difference: the error is its square, or 1e-16 divided by it.
STEP = 1e-5


def is_differentiable(value: Any) -> bool:
    """Whether a value is an array of real or complex numbers, of any library."""
    return kind_of(value) in ("f", "c")


def as_function(
    op: OpOverload,
    given: Call,
    copied: Callable[[Any], Any] | None = None,
    called: Callable[..., Any] | None = None,
) -> tuple[ArrayFunction, list[Any]]:
    """Return a call as a function of those of its arguments that have gradients.

    ``copied`` is what is done to the first argument, for operators that write to it.
    ``called`` is what is called in the place of ``op``.
    """
    made = called or op
    named = op.derivatives
    keys = {key for text in named for key in text.replace(" ", "").split(",")}
    leaves: list[Any] = []

    def collect(name: str, value: Any) -> Any:
        if name in keys and type(value) in (list, tuple):
            return [collect(name, item) for item in value]
        if name in keys and is_differentiable(value):
            leaves.append(value)
            return _Place(len(leaves) - 1)
        return value

    parameters = [argument.name for argument in op.schema.positional]
    args = [collect(*pair) for pair in zip(parameters, given.args, strict=False)]
    kwargs = {name: collect(name, value) for name, value in given.kwargs.items()}

    def function(*values: Any) -> tuple[Any, ...]:
        filled = [_filled(argument, values) for argument in args]
        if copied is not None:
            filled[0] = copied(filled[0])
        named = {name: _filled(value, values) for name, value in kwargs.items()}
        result: Any = made(*filled, **named)
        results = result if type(result) in (list, tuple) else [result]
        return tuple([one for one in results if is_differentiable(one)])

    return function, leaves


class _Place(int):
    """The place of an argument among those of a function."""


def _filled(value: Any, values: Sequence[Any]) -> Any:
    if type(value) in (list, tuple):
        return [_filled(item, values) for item in value]
    return values[value] if isinstance(value, _Place) else value


def difference(
    function: ArrayFunction, leaves: Sequence[Array], direction: Sequence[Array]
) -> list[Array]:
    """Return the derivative of a function along a direction, by a difference."""

    def moved(step: float) -> tuple[Any, ...]:
        return function(
            *[np.asarray(x + step * d) for x, d in zip(leaves, direction, strict=True)]
        )

    ends = zip(moved(STEP), moved(-STEP), strict=True)
    return [np.asarray((ahead - behind) / (2 * STEP)) for ahead, behind in ends]


def directions(arrays: Sequence[Any], seed: int = 0) -> list[Array]:
    """Return random arrays of the same shapes and dtypes, the same in every run."""
    random = np.random.default_rng(seed)

    def like(array: Any) -> Any:
        shape = np.shape(array)
        made: Any = random.standard_normal(shape)
        if np.iscomplexobj(array):
            made = made + 1j * random.standard_normal(shape)
        # In the same order in memory, which as_strided sees.
        laid_out = np.empty_like(array)
        laid_out[...] = made
        return laid_out

    return [like(array) for array in arrays]


def inner(left: Sequence[Any], right: Sequence[Any]) -> float:
    """Return the inner product of two directions, complex numbers being pairs."""
    return float(
        sum(np.sum((np.conj(a) * b).real) for a, b in zip(left, right, strict=True))
    )
