"""The base types of the schema language, and what people write in their place."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .nearest import nearest
from .schema_lexer import LONGEST_SHOWN, quoted
from .schema_model import BaseType, ListType, Type

#: What the name of a TorchScript class starts with: ``__torch__.torch.classes.a.B``.
CLASS_PREFIX: Final = "__torch__"

#: Every base type by name; beside them there are only the ``__torch__`` classes.
BASE_TYPES: Final[Mapping[str, BaseType]] = MappingProxyType(
    {
        name: BaseType(name)
        for name in (
            *("Any", "Device", "DeviceIndex", "Dimname", "Generator", "Layout"),
            *("MemoryFormat", "QScheme", "Scalar", "ScalarType", "Storage", "Stream"),
            *("SymBool", "SymInt", "Tensor", "bool", "complex", "float", "int", "str"),
        )
    }
)

_MUTABLE: Final = frozenset({"Any", "Generator", "Storage", "Stream", "Tensor"})

#: Base types whose lists may have a size, so that one value can stand for the list.
SIZED: Final = ("SymInt", "bool", "float", "int")

# What people write who come from C++, Python or TorchScript.
_FOREIGN: Final[Mapping[str, str]] = {
    "ArrayRef": "Tensor[] or int[]",
    "IntArrayRef": "int[]",
    "List": "Tensor[] or int[]",
    "None": "() for no results",
    "Number": "Scalar",
    "Optional": "Tensor? or int?",
    "Sequence": "Tensor[] or int[]",
    "SymFloat": "float",
    "SymIntArrayRef": "SymInt[]",
    "TensorList": "Tensor[]",
    "boolean": "bool",
    "device": "Device",
    "double": "float",
    "dtype": "ScalarType",
    "int64_t": "int",
    "layout": "Layout",
    "list": "Tensor[] or int[]",
    "ndarray": "Tensor",
    "number": "Scalar",
    "std": "str",
    "string": "str",
    "symint": "SymInt",
    "void": "() for no results",
}
_TORCHSCRIPT: Final = frozenset(
    {
        "AnyClassType",
        "AnyEnumType",
        "Await",
        "Dict",
        "Future",
        "NoneType",
        "PyObject",
        "RRef",
        "Tuple",
        "t",
        "t1",
        "t2",
        "tVal",
    }
)


def why_unknown(name: str, *, alone: bool) -> str:
    """Return the sentence that refuses a name which is no type.

    ``alone`` says that nothing stands after it which it could be the type of.
    """
    if name in _FOREIGN:
        return f"'{name}' is no type of schemas: write {_FOREIGN[name]}"
    if name in _TORCHSCRIPT:
        return f"'{name}' is a type of TorchScript, and no operator here can take it"
    # Comparing names takes quadratic time, and a long one is nobody's slip.
    hint = nearest(name, BASE_TYPES) if len(name) <= LONGEST_SHOWN else ""
    if hint:
        return f"unknown type {quoted(name)}.{hint}"
    if alone:
        return f"{quoted(name)} is no type: if it is a name, write Tensor {name}"
    return f"unknown type {quoted(name)}: the types are {', '.join(BASE_TYPES)}"


def is_writable(type: Type) -> bool:
    """Whether the value itself can be changed, as a tensor or a list can."""
    if isinstance(type, BaseType):
        return type.name in _MUTABLE or type.name.startswith(CLASS_PREFIX)
    return isinstance(type, ListType)
