"""Kernels that write to the places that an index names along one dimension."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...runtime.errors import ArgumentValueError, DtypeError
from ..shaped import Shaped
from ..variants import on_copy, out
from .arrays import Array, Scalar, copied
from .dtypes import as_number
from .places import as_vector, check_same_dtype, check_within, places_along

#: What combines the elements that go to one place; a mean is a sum, divided at the end.
_UFUNCS: Final[dict[str, np.ufunc]] = {
    "sum": np.add,
    "prod": np.multiply,
    "mean": np.add,
    "amax": np.maximum,
    "amin": np.minimum,
}
#: Kinds of dtypes that a reduction is not defined for.
_REFUSED_KINDS: Final = {"mean": "b", "amax": "c", "amin": "c"}


def scatter_src_(self: Array, dim: int, index: Array, src: Array) -> Array:
    """Kernel of scatter_.src."""
    check_same_dtype(self, src, "src")
    if index.size:
        places = places_along(self, dim, index)
        as_vector(self)[places] = _within(src, index)
    return self


def scatter_value_(self: Array, dim: int, index: Array, value: Scalar) -> Array:
    """Kernel of scatter_.value."""
    number = as_number(value, self.dtype, "value")
    if index.size:
        as_vector(self)[places_along(self, dim, index)] = number
    return self


def scatter_add_(self: Array, dim: int, index: Array, src: Array) -> Array:
    """Kernel of scatter_add_."""
    check_same_dtype(self, src, "src")
    if index.size:
        places = places_along(self, dim, index)
        np.add.at(as_vector(self), places, _within(src, index))
    return self


def scatter_reduce_(
    self: Array,
    dim: int,
    index: Array,
    src: Array,
    reduce: str,
    *,
    include_self: bool = True,
) -> Array:
    """Kernel of scatter_reduce_.two."""
    check_reduction(self, src, reduce)
    if index.size:
        places = places_along(self, dim, index)
        reduced, given = as_vector(self), _within(src, index)
        if not include_self:
            reduced[places] = _start(reduce, given)
        _UFUNCS[reduce].at(reduced, places, given)
        if reduce == "mean":
            _divide(reduced, places, include_self)
    return self


def check_reduction(self: Shaped, src: Shaped, reduce: str) -> None:
    """Raise ArgumentValueError for an unknown reduction, DtypeError for dtypes."""
    if reduce not in _UFUNCS:
        words = "'sum', 'prod', 'mean', 'amax' or 'amin'"
        raise ArgumentValueError(f"reduce is {reduce!r}; it can be {words}")
    check_same_dtype(self, src, "src")
    if self.dtype.kind in _REFUSED_KINDS.get(reduce, ""):
        raise DtypeError(f"scatter_reduce takes no {reduce} of {self.dtype}")


scatter_src = on_copy(scatter_src_, copied)
scatter_src_out = out(scatter_src)
scatter_value = on_copy(scatter_value_, copied)
scatter_value_out = out(scatter_value)
scatter_add = on_copy(scatter_add_, copied)
scatter_add_out = out(scatter_add)
scatter_reduce = on_copy(scatter_reduce_, copied)
scatter_reduce_out = out(scatter_reduce)


def _within(src: Array, index: Array) -> Array:
    """Return the part of ``src`` that an index uses, which is of the index's shape."""
    src, index = as_vector(src), as_vector(index)
    check_within("index", index, "src", src)
    return src[tuple(map(slice, index.shape))]


def _start(reduce: str, given: Array) -> Array | int:
    """Return what a place holds before anything is reduced there."""
    if reduce in ("amax", "amin"):
        # Any of the elements for a place: reducing it a second time changes nothing.
        return given
    return 1 if reduce == "prod" else 0


def _divide(sums: Array, places: tuple[Array, ...], include_self: bool) -> None:
    """Divide sums by the number of their elements; integers are rounded down."""
    counts = np.full(sums.shape, 1 if include_self else 0)
    np.add.at(counts, places, 1)
    np.maximum(counts, 1, out=counts)
    divide = np.divide if sums.dtype.kind in "fc" else np.floor_divide
    divide(sums, counts, out=sums, casting="unsafe")
