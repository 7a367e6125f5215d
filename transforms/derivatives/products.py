"""Products, and those of all elements but one, which are their derivatives.

Where the element is not 0 that is the product divided by it. Where it is 0, the product
of the elements that are not 0 remains, times the other zeros. Of these the count
decides, but the formula keeps them as numbers where there is one other, so that the
derivative is right, too. With three zeros in a product its third derivative is not.
"""

from __future__ import annotations

from typing import Any

from ... import generated as ops
from .complex_numbers import conj
from .reduction import kept, sum_from_each_on


def others_product(
    self: Any, result: Any, dim: int | None = None, keepdim: bool = False
) -> Any:
    """Return for each element the product of those that it is multiplied with."""
    zero = ops.eq(self, 0)
    nonzeros = ops.where(zero, 1, self)
    zeros = ops.where(zero, self, 0)
    return combined(
        zero,
        nonzeros,
        product=kept(result, self.ndim, dim, keepdim),
        of_nonzeros=_product(nonzeros, dim),
        count=ops.sum(zero, dim, True),
        other_zeros=ops.sub(ops.sum(zeros, dim, True), zeros),
    )


def product_gradient(
    grad: Any, self: Any, result: Any, dim: int | None, keepdim: bool
) -> Any:
    """Return the gradient of a product along a dimension."""
    others = others_product(self, result, dim, keepdim)
    return ops.mul(kept(grad, self.ndim, dim, keepdim), conj(others))


def cumulative_product_gradient(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """Return the gradient of a product that grows along ``dim``.

    An element is part of all products from its place on. Again these are divided by
    it, and for the first zero, and the second, they are computed without it.
    """
    zero = ops.eq(self, 0)
    order = ops.cumsum(zero, dim)
    gradient = ops.div(
        sum_from_each_on(ops.mul(grad, conj(result)), dim),
        conj(ops.where(zero, 1, self)),
    )
    gradient = ops.where(zero, 0, gradient)
    for place in (1, 2):
        left_out = ops.logical_and(zero, ops.eq(order, place))
        products = ops.cumprod(ops.where(left_out, 1, self), dim)
        from_here = sum_from_each_on(ops.mul(grad, conj(products)), dim)
        gradient = ops.where(left_out, from_here, gradient)
    return gradient


def _product(self: Any, dim: int | None) -> Any:
    return ops.prod(self) if dim is None else ops.prod(self, dim, True)


def combined(
    zero: Any,
    nonzeros: Any,
    *,
    product: Any,
    of_nonzeros: Any,
    count: Any,
    other_zeros: Any,
) -> Any:
    """Return the products without one element each, of what is known of all elements.

    ``zero`` tells where elements are 0, ``nonzeros`` has 1 in their place. Of the
    elements that are multiplied with one: their ``product``, that ``of_nonzeros``, the
    ``count`` of zeros, and the sum of the ``other_zeros``, which is 0.
    """
    zeros_product = ops.where(
        ops.eq(count, 1), 1, ops.where(ops.eq(count, 2), other_zeros, 0)
    )
    at_zero = ops.mul(of_nonzeros, zeros_product)
    return ops.where(zero, at_zero, ops.div(product, nonzeros))
