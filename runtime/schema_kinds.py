"""Kinds of functions, and what the functions of one operator have in common.

``add``, ``add_`` and ``add.out`` do the same thing and differ in where the result
goes. The rules are those of PyTorch's generator (``torchgen/model.py``, SchemaKind).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from .schema import Argument, FunctionSchema, OptionalType, Type

#: Arguments that say what kind of array to make; ``out=`` makes them superfluous.
_TENSOR_OPTIONS: Final = (
    ("dtype", "ScalarType"),
    ("layout", "Layout"),
    ("device", "Device"),
    ("pin_memory", "bool"),
)


class SchemaKind(Enum):
    """Where the results of a function go."""

    FUNCTIONAL = "functional"
    INPLACE = "in-place"
    MUTABLE = "mutable"
    OUT = "out="
    SCRATCH = "scratch"


def kind_of(schema: FunctionSchema) -> SchemaKind:
    """Return the kind of a function; the name decides first, then the arguments."""
    if schema.is_inplace:
        return SchemaKind.INPLACE
    out = schema.out
    if any(arg.name.startswith("_scratch_") for arg in out):
        return SchemaKind.SCRATCH
    if out:
        return SchemaKind.OUT
    if any(arg.is_write for arg in schema.arguments if arg.name != "self"):
        return SchemaKind.MUTABLE
    return SchemaKind.FUNCTIONAL


def functional_name(schema: FunctionSchema) -> str:
    """Return the operator's name without its in-place mark: ``add`` for ``add_``."""
    name = schema.name
    if not schema.is_inplace:
        return name
    return f"__{name[3:]}" if name.startswith("__") else name[:-1]


def is_tensor_like(type: Type) -> bool:
    """Whether a type is ``Tensor``, or an optional or a list of it."""
    return type.base.name == "Tensor"


def tensor_options(schema: FunctionSchema) -> tuple[Argument, ...]:
    """Return the keyword-only dtype, layout, device and pin_memory, if all are there.

    They count only when they follow one another in this order.
    """
    arguments = schema.keyword_only
    count = len(_TENSOR_OPTIONS)
    for start in range(len(arguments) - count + 1):
        found = arguments[start : start + count]
        if all(map(_is_option, found, _TENSOR_OPTIONS)):
            return found
    return ()


def _is_option(argument: Argument, option: tuple[str, str]) -> bool:
    name, base = option
    if argument.name != name:
        return False
    type = argument.type
    bare = type.element if isinstance(type, OptionalType) else type
    return str(bare) == base


def out_overload_name(overload: str) -> str:
    """Return what the ``out=`` companion of an overload is called."""
    return f"{overload}_out" if overload else "out"
