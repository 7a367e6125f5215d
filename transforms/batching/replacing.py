"""Rules of operators that return ``self`` with a part of it replaced."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError, DtypeError
from .call import BatchedCall
from .dims import shifted_arguments
from .forms import check_written, in_all_forms
from .physical import (
    flat_items,
    logical_ndim,
    with_batch,
    with_ndim,
)


def copy(call: BatchedCall) -> Any:
    """Batching rule of ``copy`` and ``copy_``: ``src`` broadcasts to ``self``."""
    check_written(call)
    values = call.values
    self = with_batch(call, "self")
    src, has_batch = values["src"], "src" in call.batched
    ndim = self.ndim - 1
    if logical_ndim(src, has_batch) > ndim:
        raise ArgumentValueError(
            f"src has {logical_ndim(src, has_batch)} dimensions, self has {ndim}"
        )
    return call.run(self=self, src=with_ndim(src, has_batch, ndim))


@in_all_forms
def replaced_part(call: BatchedCall) -> Any:
    """Batching rule of ``slice_scatter`` and others, with dimensions as parameters."""
    self, src = with_batch(call, "self"), with_batch(call, "src")
    dims = shifted_arguments(call, self.ndim - 1)
    return call.run(self=self, src=src, **dims)


@in_all_forms
def masked_scatter(call: BatchedCall) -> Any:
    """Batching rule of ``masked_scatter``.

    The elements that the mask of an item chooses are counted, and each is given the
    element of the source that has its number.
    """
    names = "mask", "self", "source"
    mask, self, source = (with_batch(call, name) for name in names)
    _check_scattered(mask, self, source)
    ndim = max(mask.ndim, self.ndim) - 1
    mask, self = with_ndim(mask, True, ndim), with_ndim(self, True, ndim)
    mask = ops.logical_or(mask, ops.zeros_like(self, dtype="bool"))
    numbers = ops.mul(ops.cumsum(flat_items(mask), 1), flat_items(mask))
    # Number 0 is that of elements that are not chosen. Too large a number is refused.
    padded = ops.constant_pad_nd(flat_items(source), [1, 0])
    given = ops.reshape(ops.gather(padded, 1, numbers), mask.shape)
    return ops.where(mask, given, self)


def _check_scattered(mask: Any, self: Any, source: Any) -> None:
    if mask.dtype.kind != "b":
        raise DtypeError(f"mask has dtype {mask.dtype}; a mask is of bool")
    if source.dtype != self.dtype:
        raise DtypeError(
            f"source has dtype {source.dtype}, self has {self.dtype};"
            " they must be equal"
        )
