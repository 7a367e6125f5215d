"""One call of an operator, which checks make in several ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...runtime.calls import complete
from ..arrays import is_array
from ..pytree import flatten, unflatten

if TYPE_CHECKING:
    from ...runtime.op import OpOverload


@dataclass(frozen=True, slots=True)
class Sample:
    """An operator and the arguments of a call, all of them, as kernels get them."""

    op: OpOverload
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @classmethod
    def of(cls, op: OpOverload, args: Any, kwargs: dict[str, Any]) -> Sample:
        """Return the call with defaults filled in, and lists as they are."""
        positional, named = complete(op, tuple(args), kwargs)
        return cls(op, positional, named)

    @property
    def arrays(self) -> list[Any]:
        """The arrays among the arguments, in order; those in lists too."""
        return [leaf for leaf in flatten((self.args, self.kwargs))[0] if is_array(leaf)]

    def with_arrays(self, arrays: Any) -> Sample:
        """Return the call with other arrays in the places of these."""
        leaves, structure = flatten((self.args, self.kwargs))
        given = iter(arrays)
        found = [next(given) if is_array(leaf) else leaf for leaf in leaves]
        args, kwargs = unflatten(structure, found)
        return Sample(self.op, args, kwargs)

    def mapped(self, change: Callable[[Any], Any]) -> Sample:
        """Return the call with each array changed."""
        return self.with_arrays([change(array) for array in self.arrays])

    def copied(self) -> Sample:
        """Return the call with copies of the arrays: operators may write to them."""
        return self.mapped(copy_of)

    def run(self) -> Any:
        """Make the call."""
        return self.op(*self.args, **self.kwargs)

    def results(self) -> list[Any]:
        """Make the call and return its results in a flat list, arrays and others."""
        return flatten(self.run())[0]


def copy_of(array: Any) -> Any:
    """Return a copy of an array with the same strides."""
    return array.copy(order="K") if _is_numpy(array) else array


def _is_numpy(array: object) -> bool:
    return isinstance(array, np.ndarray)


def numbers(value: Any) -> Any:
    """Return an array as one of NumPy, out of any wrapper."""
    return np.asarray(
        value.elements("an array") if hasattr(value, "elements") else value
    )


def difference(found: list[Any], wanted: list[Any], close: bool = True) -> str:
    """Return how two lists of results differ, an empty text where they do not."""
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if not is_array(other):
            if one != other and not (one != one and other != other):
                return f"result {place} is {one!r}, not {other!r}"
            continue
        a, b = numbers(one), numbers(other)
        if a.shape != b.shape or a.dtype != b.dtype:
            kinds = f"{a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
            return f"result {place} is {kinds}"
        if not _equal(a, b, close):
            return f"result {place} differs by {_most(a, b)}"
    return ""


def _equal(a: Any, b: Any, close: bool) -> bool:
    if a.dtype.kind not in "fc" or not close:
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    wide = 1e-2 if a.dtype.itemsize <= 2 else 1e-4 if a.dtype.itemsize <= 4 else 1e-8
    return bool(np.allclose(a, b, rtol=wide, atol=wide, equal_nan=True))


def _most(a: Any, b: Any) -> str:
    with np.errstate(all="ignore"):
        gap = np.abs(a.astype("complex128") - b.astype("complex128"))
    return f"{np.nanmax(gap):.3g}" if gap.size else "nothing"
