"""Rules that tell the shape and the dtype of a result without computing it.

The YAML files name the attributes of this package as the ``shape`` of an operator. A
rule takes the arguments of the schema as a kernel does, but of an array only its shape,
its number of dimensions and its dtype; sizes may be symbolic.
"""

if __name__ != "keyslot.kernels.shapes":
    raise ImportError(
        f"import keyslot.kernels.shapes, not {__name__}: one copy of everything"
    )

from . import (
    activation,
    arithmetic,
    comparison,
    complex_numbers,
    copying,
    creation,
    diagonals,
    indexing,
    joining,
    linalg,
    reduction,
    sorting,
    symbolic,
    unary,
    view,
)
from .spec import ArraySpec

__all__ = [
    "ArraySpec",
    "activation",
    "arithmetic",
    "comparison",
    "complex_numbers",
    "copying",
    "creation",
    "diagonals",
    "indexing",
    "joining",
    "linalg",
    "reduction",
    "sorting",
    "symbolic",
    "unary",
    "view",
]
