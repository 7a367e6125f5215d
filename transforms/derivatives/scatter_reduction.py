"""Gradients of what was scattered and reduced with what was there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ... import generated as ops
from ..arrays import converted
from .complex_numbers import conj
from .indexing import in_corner
from .products import combined


@dataclass(frozen=True, slots=True)
class _Scattered:
    """The elements of a call: those that were there, and those that came to them."""

    self: Any
    dim: int
    index: Any
    src: Any
    include_self: bool

    def reduced(self, there: Any, coming: Any, reduce: str = "sum") -> Any:
        """Reduce what belongs to the elements, at each place of the result."""
        return ops.scatter_reduce(
            there, self.dim, self.index, coming, reduce, include_self=self.include_self
        )

    def source(self, there: Any) -> Any:
        """Return for each element that came what is at the place it went to."""
        return ops.gather(there, self.dim, self.index)


Gradients: TypeAlias = tuple[Any, Any]


def scatter_reduce_gradients(
    grad: Any,
    self: Any,
    dim: int,
    index: Any,
    src: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> Gradients:
    """Return the gradients of ``self`` and ``src``."""
    call = _Scattered(self, dim, index, _corner(src, index.shape), include_self)
    to_self, to_source = _GRADIENTS[reduce](grad, call, result)
    if not include_self:
        # Where elements came they have left nothing of what was there.
        to_self = ops.scatter(to_self, dim, index, 0)
    return to_self, in_corner(to_source, src.shape)


def _corner(src: Any, shape: tuple[Any, ...]) -> Any:
    """Return the part of the source that is read: as much as there are indices."""
    if src.shape == shape:
        return src
    for dim, size in enumerate(shape):
        src = ops.slice(src, dim, 0, size)
    return src


def _of_sum(grad: Any, call: _Scattered, result: Any) -> Gradients:
    return grad, call.source(grad)


def _of_mean(grad: Any, call: _Scattered, result: Any) -> Gradients:
    count = call.reduced(ops.full_like(grad, 1), ops.full_like(call.src, 1))
    parts = ops.div(grad, count)
    return parts, call.source(parts)


def _of_extreme(grad: Any, call: _Scattered, result: Any) -> Gradients:
    """Share the gradient equally among the elements that are the extreme one."""
    there = ops.eq(call.self, result)
    coming = ops.eq(call.src, call.source(result))
    count = call.reduced(converted(there, grad.dtype), converted(coming, grad.dtype))
    parts = ops.div(grad, count)
    return ops.mul(there, parts), ops.mul(coming, call.source(parts))


def _of_product(grad: Any, call: _Scattered, result: Any) -> Gradients:
    zero, zero_src = ops.eq(call.self, 0), ops.eq(call.src, 0)
    nonzeros, nonzeros_src = (
        ops.where(zero, 1, call.self),
        ops.where(zero_src, 1, call.src),
    )
    zeros, zeros_src = (
        ops.where(zero, call.self, 0),
        ops.where(zero_src, call.src, 0),
    )
    of_nonzeros = call.reduced(nonzeros, nonzeros_src, "prod")
    count = call.reduced(converted(zero, grad.dtype), converted(zero_src, grad.dtype))
    sum_of_zeros = call.reduced(zeros, zeros_src)
    to_self = combined(
        zero,
        nonzeros,
        product=result,
        of_nonzeros=of_nonzeros,
        count=count,
        other_zeros=ops.sub(sum_of_zeros, zeros),
    )
    to_source = combined(
        zero_src,
        nonzeros_src,
        product=call.source(result),
        of_nonzeros=call.source(of_nonzeros),
        count=call.source(count),
        other_zeros=ops.sub(call.source(sum_of_zeros), zeros_src),
    )
    return _times(grad, to_self), _times(call.source(grad), to_source)


def _times(grad: Any, slope: Any) -> Any:
    return ops.mul(grad, conj(slope))


_GRADIENTS: Final[Mapping[str, Callable[[Any, _Scattered, Any], Gradients]]] = {
    "sum": _of_sum,
    "mean": _of_mean,
    "prod": _of_product,
    "amax": _of_extreme,
    "amin": _of_extreme,
}
