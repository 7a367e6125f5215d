"""What the formulas of derivatives call besides operators.

A formula in schemas/ops names these functions. Each is made of operators alone, so that
a gradient can be batched, traced and differentiated again like anything else.
"""

if __name__ != "keyslot.transforms.derivatives":
    raise ImportError(
        f"import keyslot.transforms.derivatives, not {__name__}: one copy of everything"
    )

from .activation import elu_gradient, gelu_gradient
from .complex_numbers import adjoint, conj, real_part, sgn_gradient
from .extremes import gradient_to_picked, gradient_to_ties, mean_of_ties, picked
from .indexing import (
    gradient_of_gather,
    gradient_of_index,
    gradient_of_index_select,
    gradient_of_mask_source,
    gradient_of_scatter_source,
    overwritten_by_index,
)
from .norm import norm_gradient, norm_tangent
from .pointwise import (
    acosh_slope,
    atan2_gradients,
    clamped_above,
    clamped_below,
    dividend_gradient,
    division_gradients,
    division_tangent,
    floored_quotient,
    truncated_quotient,
    unclamped,
)
from .powers import base_gradient, exponent_gradient
from .products import cumulative_product_gradient, others_product, product_gradient
from .reduction import (
    deviation_gradient,
    deviation_tangent,
    mean_gradient,
    spread,
    sum_from_each_on,
    variance_gradient,
    variance_tangent,
)
from .scatter_reduction import scatter_reduce_gradients
from .shapes import (
    contiguous,
    inverse_permutation,
    joined_parts,
    stacked_parts,
    sum_of_repeats,
    unpadded,
    unsqueezed,
)
from .storage import gradient_of_as_strided, tangent_of_as_strided

__all__ = [
    "acosh_slope",
    "adjoint",
    "atan2_gradients",
    "base_gradient",
    "clamped_above",
    "clamped_below",
    "conj",
    "contiguous",
    "cumulative_product_gradient",
    "deviation_gradient",
    "deviation_tangent",
    "dividend_gradient",
    "division_gradients",
    "division_tangent",
    "elu_gradient",
    "exponent_gradient",
    "floored_quotient",
    "gelu_gradient",
    "gradient_of_as_strided",
    "gradient_of_gather",
    "gradient_of_index",
    "gradient_of_index_select",
    "gradient_of_mask_source",
    "gradient_of_scatter_source",
    "gradient_to_picked",
    "gradient_to_ties",
    "inverse_permutation",
    "joined_parts",
    "mean_gradient",
    "mean_of_ties",
    "norm_gradient",
    "norm_tangent",
    "others_product",
    "overwritten_by_index",
    "picked",
    "product_gradient",
    "real_part",
    "scatter_reduce_gradients",
    "sgn_gradient",
    "spread",
    "stacked_parts",
    "sum_from_each_on",
    "sum_of_repeats",
    "tangent_of_as_strided",
    "truncated_quotient",
    "unclamped",
    "unpadded",
    "unsqueezed",
    "variance_gradient",
    "variance_tangent",
]
