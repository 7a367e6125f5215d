"""Rules of comparisons and of logical and bitwise operators of two operands."""

from __future__ import annotations

from ..numpy import comparison as kernels
from .pointwise import binary, with_number

eq, eq_number = binary(kernels.eq), with_number(kernels.eq)
ne, ne_number = binary(kernels.ne), with_number(kernels.ne)
ge, ge_number = binary(kernels.ge), with_number(kernels.ge)
gt, gt_number = binary(kernels.gt), with_number(kernels.gt)
le, le_number = binary(kernels.le), with_number(kernels.le)
lt, lt_number = binary(kernels.lt), with_number(kernels.lt)

logical_and = binary(kernels.logical_and_out)
logical_or = binary(kernels.logical_or_out)
logical_xor = binary(kernels.logical_xor_out)

bitwise_and = binary(kernels.bitwise_and)
bitwise_or = binary(kernels.bitwise_or)
bitwise_xor = binary(kernels.bitwise_xor)
bitwise_and_number = with_number(kernels.bitwise_and)
bitwise_or_number = with_number(kernels.bitwise_or)
bitwise_xor_number = with_number(kernels.bitwise_xor)
left_shift = binary(kernels.left_shift)
left_shift_number = with_number(kernels.left_shift_number)
right_shift = binary(kernels.right_shift)
right_shift_number = with_number(kernels.right_shift_number)
