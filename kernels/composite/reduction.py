"""Reduction composites."""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from ...runtime.writing import kind_of
from ..variants import out


def var(self: Any, unbiased: bool = True) -> Any:
    """Kernel of var."""
    return ops.var.correction(self, correction=int(unbiased))


def var_dim(self: Any, dim: Any, unbiased: bool = True, keepdim: bool = False) -> Any:
    """Kernel of var.dim."""
    correction = int(unbiased)
    return ops.var.correction(self, dim, correction=correction, keepdim=keepdim)


def var_dim_out(
    self: Any, dim: Any, unbiased: bool = True, keepdim: bool = False, *, out: Any
) -> Any:
    """Kernel of var.out."""
    correction = int(unbiased)
    return ops.var.correction_out(
        self, dim, correction=correction, keepdim=keepdim, out=out
    )


def std(self: Any, unbiased: bool = True) -> Any:
    """Kernel of std."""
    return ops.std.correction(self, correction=int(unbiased))


def std_dim(self: Any, dim: Any, unbiased: bool = True, keepdim: bool = False) -> Any:
    """Kernel of std.dim."""
    correction = int(unbiased)
    return ops.std.correction(self, dim, correction=correction, keepdim=keepdim)


def logsumexp(self: Any, dim: Any, keepdim: bool = False) -> Any:
    """Kernel of logsumexp."""
    if kind_of(self) in ("b", "i"):
        self = ops.div(self, 1)
    if 0 in self.shape:
        return ops.log(ops.sum(ops.exp(self), dim, keepdim))
    # Taken out of the sum and put back, so that exp cannot overflow: no gradient of its
    # own. What is infinite stays, for infinity less itself is NaN.
    most = ops.detach(ops.amax(ops.real(self), dim, True))
    most = ops.where(ops.isinf(most), 0, most)
    total = ops.log(ops.sum(ops.exp(ops.sub(self, most)), dim, True))
    summed = ops.add(total, most)
    if keepdim:
        return summed
    # All dimensions that were summed over have size 1; none means all of them.
    return ops.squeeze(summed, _listed(dim) or [*range(self.ndim)])


def _listed(dim: Any) -> list[int]:
    return [*dim] if isinstance(dim, (list, tuple)) else [dim]


logsumexp_out = out(logsumexp, casting=True)
