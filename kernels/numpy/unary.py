"""Kernels of the pointwise operators of one array."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import special
from .arrays import Array, check_dtype, check_shape
from .families import floating_unary, unary
from .promotion import as_array
from .rules import like_ufunc

# The functional overloads of some operators are NumPy's functions themselves.
abs, _, _real_abs_out = unary(np.absolute, "b")
# The absolute values of complex numbers are real: they have another dtype.
_, abs_, _ = unary(np.absolute, "bc")
_, neg_, neg_out = unary(np.negative, "b")
_, bitwise_not_, bitwise_not_out = unary(np.bitwise_not)
_, logical_not_, logical_not_out = unary(np.logical_not, exact_out=False)

ceil, ceil_, ceil_out = unary(np.ceil, "bc")
floor, floor_, floor_out = unary(np.floor, "bc")
round, round_, round_out = unary(np.rint, "bc", integers=np.positive)
sign = special.sign
_, sign_, sign_out = unary(like_ufunc(sign), "c")
sgn, sgn_, sgn_out = unary(like_ufunc(special.sgn))
conj_physical, conj_physical_, conj_physical_out = unary(
    like_ufunc(special.conj_physical)
)
trunc, trunc_, trunc_out = unary(np.trunc, "bc")

acos, acos_, acos_out = floating_unary(np.arccos)
acosh, acosh_, acosh_out = floating_unary(np.arccosh)
asin, asin_, asin_out = floating_unary(np.arcsin)
asinh, asinh_, asinh_out = floating_unary(np.arcsinh)
atan, atan_, atan_out = floating_unary(np.arctan)
atanh, atanh_, atanh_out = floating_unary(np.arctanh)
cos, cos_, cos_out = floating_unary(np.cos)
cosh, cosh_, cosh_out = floating_unary(np.cosh)
erf, erf_, erf_out = floating_unary(like_ufunc(special.erf), "c")
exp, exp_, exp_out = floating_unary(np.exp)
expm1, expm1_, expm1_out = floating_unary(np.expm1)
log, log_, log_out = floating_unary(np.log)
log10, log10_, log10_out = floating_unary(np.log10)
log1p, log1p_, log1p_out = floating_unary(np.log1p)
log2, log2_, log2_out = floating_unary(np.log2)
reciprocal, reciprocal_, reciprocal_out = floating_unary(np.reciprocal)
rsqrt, rsqrt_, rsqrt_out = floating_unary(like_ufunc(special.rsqrt))
sigmoid, sigmoid_, sigmoid_out = floating_unary(like_ufunc(special.sigmoid))
sin, sin_, sin_out = floating_unary(np.sin)
sinh, sinh_, sinh_out = floating_unary(np.sinh)
sqrt, sqrt_, sqrt_out = floating_unary(np.sqrt)
tan, tan_, tan_out = floating_unary(np.tan)
tanh, tanh_, tanh_out = floating_unary(np.tanh)


def abs_out(self: Array, /, *, out: Array) -> Any:
    """Kernel of abs.out."""
    self = as_array(self)
    if self.dtype.kind != "c":
        return _real_abs_out(self, out=out)
    check_shape(out, self.shape)
    # Besides the result's dtype, any real one, and that of the complex numbers.
    if out.dtype.kind != "f" and out.dtype != self.dtype:
        check_dtype(out, np.absolute.resolve_dtypes((self.dtype, None))[-1])
    return np.absolute(self, out=out, casting="unsafe")
