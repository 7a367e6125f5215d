"""Kernels that add up and multiply.

They call the ufunc's ``reduce``, which is what ``np.sum`` does after two Python calls.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...runtime.errors import DtypeError
from ..shaped import Shaped
from .arrays import Array, Dims, check_dtype, check_shape
from .dims import Axes, as_axes, count_elements
from .dtypes import as_dtype

_INT64: Final = np.dtype("int64")
_FLOAT32: Final = np.dtype("float32")

# Any, as NumPy's stubs lack the calls by position, which are faster than by name.
_add_reduce: Final[Any] = np.add.reduce
_multiply_reduce: Final[Any] = np.multiply.reduce

#: The operator that a ufunc accumulates for, and what messages say that it does.
_ACCUMULATED: Final[dict[np.ufunc, tuple[str, str]]] = {
    np.add: ("cumsum", "adds up"),
    np.multiply: ("cumprod", "multiplies"),
}

# --- sum and prod ---------------------------------------------------------------------


def sum_all(self: Array, *, dtype: Any = None) -> Any:
    """Kernel of sum."""
    return _add_reduce(self, None, _sum_dtype(self, dtype))


def sum_dim(self: Array, dim: Dims, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Kernel of sum.dim_IntList."""
    dtype = _sum_dtype(self, dtype)
    return _add_reduce(self, as_axes(self, dim), dtype, None, keepdim)


def sum_dim_out(
    self: Array, dim: Dims, keepdim: bool = False, *, dtype: Any = None, out: Array
) -> Any:
    """Kernel of sum.IntList_out."""
    return _reduce_to(_add_reduce, self, as_axes(self, dim), keepdim, dtype, out)


def prod_all(self: Array, *, dtype: Any = None) -> Any:
    """Kernel of prod."""
    return _multiply_reduce(self, None, _sum_dtype(self, dtype))


def prod_dim(self: Array, dim: int, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Kernel of prod.dim_int."""
    dtype = _sum_dtype(self, dtype)
    return _multiply_reduce(self, as_axes(self, dim), dtype, None, keepdim)


def prod_dim_out(
    self: Array, dim: int, keepdim: bool = False, *, dtype: Any = None, out: Array
) -> Any:
    """Kernel of prod.int_out."""
    return _reduce_to(_multiply_reduce, self, as_axes(self, dim), keepdim, dtype, out)


def _reduce_to(
    reduce: Any, self: Array, axes: Axes, keepdim: bool, dtype: Any, out: Array
) -> Any:
    """Reduce in the dtype of ``out``, which ``dtype`` can only repeat."""
    _check_given_dtype(out, dtype)
    try:
        return reduce(self, axes, out.dtype, out, keepdim)
    except ValueError:
        # NumPy's message about a wrong shape speaks of nothing that the caller knows.
        check_shape(out, reduce(self, axes, None, None, keepdim).shape)
        raise


def _check_given_dtype(out: Array, dtype: Any) -> None:
    given = as_dtype(dtype)
    if given is not None:
        check_dtype(out, given)


def _sum_dtype(self: Shaped, dtype: Any) -> np.dtype[Any] | None:
    """Return the dtype to add up in; None for what NumPy takes by itself."""
    if dtype is not None:
        return as_dtype(dtype)
    # NumPy adds up unsigned integers as uint64, all others as int64.
    return _INT64 if self.dtype.kind == "u" else None


# --- cumsum and cumprod ---------------------------------------------------------------


def cumsum(self: Array, dim: int, *, dtype: Any = None) -> Any:
    """Kernel of cumsum."""
    return _accumulate(np.add, self, dim, _sum_dtype(self, dtype), None)


def cumsum_(self: Array, dim: int, *, dtype: Any = None) -> Array:
    """Kernel of cumsum_."""
    return _accumulate_to("self", np.add, self, dim, dtype, self)


def cumsum_out(self: Array, dim: int, *, dtype: Any = None, out: Array) -> Array:
    """Kernel of cumsum.out."""
    return _accumulate_to("out", np.add, self, dim, dtype, out)


def cumprod(self: Array, dim: int, *, dtype: Any = None) -> Any:
    """Kernel of cumprod."""
    return _accumulate(np.multiply, self, dim, _sum_dtype(self, dtype), None)


def cumprod_(self: Array, dim: int, *, dtype: Any = None) -> Array:
    """Kernel of cumprod_."""
    return _accumulate_to("self", np.multiply, self, dim, dtype, self)


def cumprod_out(self: Array, dim: int, *, dtype: Any = None, out: Array) -> Array:
    """Kernel of cumprod.out."""
    return _accumulate_to("out", np.multiply, self, dim, dtype, out)


def _accumulate_to(
    argument: str, ufunc: np.ufunc, self: Array, dim: int, dtype: Any, out: Array
) -> Array:
    """Accumulate to an array, in its dtype, which is the given one if there is one."""
    given = as_dtype(dtype)
    if given is not None:
        check_dtype(out, given, argument)
    check_shape(out, np.shape(self))
    _accumulate(ufunc, self, dim, out.dtype, out)
    return out


def _accumulate(
    ufunc: np.ufunc, self: Array, dim: int, dtype: Any, out: Array | None
) -> Any:
    # PyTorch takes bools where there is nothing to accumulate.
    if dtype is not None and dtype.kind == "b" and self.ndim and self.size:
        name, does = _ACCUMULATED[ufunc]
        raise DtypeError(f"{name} {does} numbers, and dtype bool holds none")
    if self.ndim == 0:
        as_axes(self, dim)
        # NumPy accumulates along a dimension only. The result has none again.
        column = None if out is None else out.reshape(1)
        return ufunc.accumulate(self.reshape(1), 0, dtype, column)[0]
    return ufunc.accumulate(self, dim, dtype, out)


# --- mean -----------------------------------------------------------------------------


def mean_all(self: Array, *, dtype: Any = None) -> Any:
    """Kernel of mean."""
    return _mean(self, None, False, dtype)


def mean_dim(
    self: Array, dim: Dims, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Kernel of mean.dim."""
    return _mean(self, as_axes(self, dim), keepdim, dtype)


def mean_all_out(self: Array, *, dtype: Any = None, out: Array) -> Array:
    """Kernel of mean.dtype_out."""
    if self.dtype.kind == "c" and out.dtype.kind != "c":
        raise DtypeError(f"out has dtype {out.dtype}, the mean is complex")
    return _write_mean(self, None, False, dtype, out)


def mean_dim_out(
    self: Array, dim: Dims, keepdim: bool = False, *, dtype: Any = None, out: Array
) -> Array:
    """Kernel of mean.out."""
    return _write_mean(self, as_axes(self, dim), keepdim, dtype, out)


def _mean(self: Array, axes: Axes, keepdim: bool, dtype: Any) -> Any:
    result = mean_dtype(self, dtype)
    if result.char == "e":
        # A sum soon exceeds what half precision can hold, though the mean does not.
        return _mean(self, axes, keepdim, _FLOAT32).astype(result)
    total = _add_reduce(self, axes, result, None, keepdim)
    return total / count_elements(self, axes)


def _write_mean(
    self: Array, axes: Axes, keepdim: bool, dtype: Any, out: Array
) -> Array:
    """Compute in the dtype of ``out``, where it holds what the mean would be."""
    _check_given_dtype(out, dtype)
    mean_dtype(self, dtype)
    mean = _mean(self, axes, keepdim, out.dtype)
    check_shape(out, mean.shape)
    np.copyto(out, mean)
    return out


def mean_dtype(self: Shaped, dtype: Any) -> np.dtype[Any]:
    """Return the dtype of a mean; DtypeError where it would be no mean."""
    result = as_dtype(dtype)
    if result is None:
        result = self.dtype
    if result.kind not in "fc":
        hint = "; dtype= can say so" if dtype is None else ""
        raise DtypeError(f"a mean is floating-point or complex, not {result}{hint}")
    return result
