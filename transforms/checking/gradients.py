"""Derivatives compared with difference quotients."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import NotDifferentiableError
from ..arrays import is_array
from ..autograd.functions import vjp
from ..autograd.jacobians import jvp
from .checks import Disagreement
from .report import Skipped
from .sample import Sample, numbers

#: Half of the step of a difference quotient, for float64.
_STEP: Final = 1e-6


def check_gradient(sample: Sample) -> str:
    """Compare reverse and forward mode with difference quotients, in float64."""
    if sample.op.schema.is_out:
        raise Skipped("what is written to out has no gradient")
    wide = sample.mapped(_widened)
    places = [n for n, a in enumerate(wide.arrays) if a.dtype.kind in "fc"]
    if not places:
        raise Skipped("no argument has floating-point numbers")
    inputs = [wide.arrays[n] for n in places]

    def function(*values: Any) -> Any:
        arrays = [_fresh(array) for array in wide.arrays]
        for place, value in zip(places, values, strict=True):
            arrays[place] = value * 1 if sample.op.schema.is_mutable else value
        results = wide.with_arrays(arrays).results()
        return tuple(r for r in results if is_array(r) and r.dtype.kind in "fc")

    rng = np.random.default_rng(0)
    directions = [_direction(rng, array) for array in inputs]
    try:
        values, pull_back = vjp(function, *inputs)
        weights = [_direction(rng, numbers(value)) for value in values]
        grads = pull_back(tuple(weights)) if values else ()
        moved = jvp(function, tuple(inputs), tuple(directions))[1]
    except NotDifferentiableError as error:
        raise Skipped(str(error)) from None
    if not values:
        raise Skipped("no result has floating-point numbers")
    quotients = _quotients(function, inputs, directions)
    for place, (found, wanted) in enumerate(zip(moved, quotients, strict=True)):
        _compare(f"forward mode of result {place}", numbers(found), wanted)
    reverse = sum(_inner(numbers(g), d) for g, d in zip(grads, directions, strict=True))
    along = sum(_inner(w, q) for w, q in zip(weights, quotients, strict=True))
    _compare("reverse mode", np.asarray(reverse), np.asarray(along))
    return "reverse and forward mode are near to the difference quotient"


def _widened(array: Any) -> Any:
    kinds = {"f": np.float64, "c": np.complex128}
    return np.array(array, dtype=kinds.get(array.dtype.kind, array.dtype))


def _fresh(array: Any) -> Any:
    return array.copy()


def _direction(rng: Any, array: Any) -> Any:
    found = rng.standard_normal(array.shape)
    if array.dtype.kind == "c":
        found = found + 1j * rng.standard_normal(array.shape)
    return np.asarray(found)


def _quotients(function: Any, inputs: list[Any], directions: list[Any]) -> list[Any]:
    sides = [
        function(
            *(x + sign * _STEP * d for x, d in zip(inputs, directions, strict=True))
        )
        for sign in (1, -1)
    ]
    return [
        (numbers(high) - numbers(low)) / (2 * _STEP)
        for high, low in zip(*sides, strict=True)
    ]


def _inner(a: Any, b: Any) -> Any:
    """Return the real inner product, by which PyTorch defines complex gradients."""
    return np.real(np.sum(np.conj(a) * b))


def _compare(what: str, found: Any, wanted: Any) -> None:
    if not np.allclose(found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True):
        gap = np.nanmax(np.abs(found - wanted))
        raise Disagreement(f"{what} differs from the difference quotient by {gap:.3g}")
