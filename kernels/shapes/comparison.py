"""Rules of comparisons and of logical and bitwise operators of two operands."""

from __future__ import annotations

from ..numpy import comparison as kernels
from .pointwise import binary

eq = binary(kernels.eq)
ne = binary(kernels.ne)
ge = binary(kernels.ge)
gt = binary(kernels.gt)
le = binary(kernels.le)
lt = binary(kernels.lt)

logical_and = binary(kernels.logical_and_out)
logical_or = binary(kernels.logical_or_out)
logical_xor = binary(kernels.logical_xor_out)

bitwise_and = binary(kernels.bitwise_and)
bitwise_or = binary(kernels.bitwise_or)
bitwise_xor = binary(kernels.bitwise_xor)
