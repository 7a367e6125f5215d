"""Rules of the pointwise operators of one array."""

from __future__ import annotations

import numpy as np

from ..numpy import unary as kernels
from .pointwise import by_ufunc, unary, unary_by

abs = unary(kernels.abs)
abs_ = unary(kernels.abs_)
conj_physical = unary(kernels.conj_physical_out)
neg = unary(kernels.neg_out)
bitwise_not = unary(kernels.bitwise_not_out)
logical_not = unary(kernels.logical_not_out)
isnan = unary_by(by_ufunc(np.isnan))
isinf = unary_by(by_ufunc(np.isinf))

ceil = unary(kernels.ceil)
floor = unary(kernels.floor)
round = unary(kernels.round)
sgn = unary(kernels.sgn)
sign = unary(kernels.sign_out)
trunc = unary(kernels.trunc)

acos = unary(kernels.acos)
acosh = unary(kernels.acosh)
asin = unary(kernels.asin)
asinh = unary(kernels.asinh)
atan = unary(kernels.atan)
atanh = unary(kernels.atanh)
cos = unary(kernels.cos)
cosh = unary(kernels.cosh)
erf = unary(kernels.erf)
exp = unary(kernels.exp)
expm1 = unary(kernels.expm1)
log = unary(kernels.log)
log10 = unary(kernels.log10)
log1p = unary(kernels.log1p)
log2 = unary(kernels.log2)
reciprocal = unary(kernels.reciprocal)
rsqrt = unary(kernels.rsqrt)
sigmoid = unary(kernels.sigmoid)
sin = unary(kernels.sin)
sinh = unary(kernels.sinh)
sqrt = unary(kernels.sqrt)
tan = unary(kernels.tan)
tanh = unary(kernels.tanh)
