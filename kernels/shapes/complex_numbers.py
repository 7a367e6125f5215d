"""The rule of what makes complex numbers of their parts."""

from __future__ import annotations

from ..numpy.complex_numbers import dtype_of_parts
from ..shaped import Shaped
from .pointwise import common_shape
from .spec import ArraySpec


def complex(real: Shaped, imag: Shaped) -> ArraySpec:
    """Rule of complex."""
    return ArraySpec(common_shape(real, imag), dtype_of_parts(real, imag))
