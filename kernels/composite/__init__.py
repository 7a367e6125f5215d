"""Kernels written once, over other operators, for every backend that has those.

The YAML files name the attributes of this package as kernels of operators whose
dispatch is CompositeImplicitAutograd or CompositeExplicitAutograd.
"""

if __name__ != "keyslot.kernels.composite":
    raise ImportError(
        f"import keyslot.kernels.composite, not {__name__}: one copy of everything"
    )

from .activation import (
    elu,
    elu_,
    elu_out,
    gelu,
    gelu_,
    gelu_out,
    hardtanh,
    hardtanh_,
    hardtanh_out,
    leaky_relu,
    leaky_relu_,
    leaky_relu_out,
    log_softmax,
    log_softmax_out,
    relu,
    relu_,
    softmax,
    softmax_out,
)
from .complex_numbers import imag, real
from .pointwise import conj_physical, max_other, square, square_
from .reduction import var, var_dim, var_dim_out
from .shape import stack, stack_out

__all__ = [
    "conj_physical",
    "elu",
    "elu_",
    "elu_out",
    "gelu",
    "gelu_",
    "gelu_out",
    "hardtanh",
    "hardtanh_",
    "hardtanh_out",
    "imag",
    "leaky_relu",
    "leaky_relu_",
    "leaky_relu_out",
    "log_softmax",
    "log_softmax_out",
    "max_other",
    "real",
    "relu",
    "relu_",
    "softmax",
    "softmax_out",
    "square",
    "square_",
    "stack",
    "stack_out",
    "var",
    "var_dim",
    "var_dim_out",
]
