"""Names that generated modules use themselves, and the names they make up."""

from __future__ import annotations

from typing import Final

from ..runtime import annotations as stub_types
from ..runtime.namespace import OpNamespace
from ..runtime.packet import OpOverloadPacket
from ..runtime.schema import FunctionSchema

#: What generated functions and classes read.
_READ: Final = ("KeyError", "active", "bool", "float", "int", "str", "type")
_IMPORTED: Final = (
    "Any",
    "DISPATCHER",
    "HandlerCache",
    "LateOperator",
    "MISSING",
    "NativeCache",
    "NativePacket",
    "OpOverloadPacket",
    "Overload",
    "OverloadError",
    "PYTHON_DISPATCHER",
    "TABLES",
    "annotations",
    "declined",
    "native_includes",
    "native_overridden",
)
#: The names of ``runtime/annotations.py``.
ANNOTATIONS: Final = frozenset(stub_types.__all__)
#: What their stubs read and import.
_IN_STUBS: Final = (
    "Sequence",
    "list",
    "overload",
    "staticmethod",
    "tuple",
    *ANNOTATIONS,
)
#: Attributes of the generated package: its own, and those of every namespace.
_OF_THE_PACKAGE: Final = (
    "MODULES",
    "TYPE_CHECKING",
    "keys",
    "ops",
    "tables",
    "tensor_methods",
    *OpNamespace.__annotations__,
    *dir(OpNamespace),
)
_CLASS_PREFIX: Final = "Overload_"
#: Of classes in stubs. No two operators have the same, and no operator is called so.
_PACKET_PREFIX: Final = "_Packet_"
_CALL_PREFIX: Final = "_Call_"
_PREFIXES: Final = (_CLASS_PREFIX, _PACKET_PREFIX, _CALL_PREFIX)

#: Names that no operator can have.
OPERATORS: Final = frozenset((*_READ, *_IMPORTED, *_IN_STUBS, *_OF_THE_PACKAGE))
#: Names that no overload can have: the attributes of every packet.
OVERLOADS: Final = frozenset(
    name
    for name in ("default", "packet", *dir(OpOverloadPacket))
    if not name.startswith("_")
)


def is_reserved(operator: str) -> bool:
    """Whether no operator can have this name."""
    return operator in OPERATORS or operator.startswith(_PREFIXES)


def class_name(schema: FunctionSchema) -> str:
    """Return the name of the class of an overload: ``Overload_mul_Tensor``."""
    return f"{_CLASS_PREFIX}{schema.name}_{schema.overload_name}"


def packet_class_name(operator: str) -> str:
    """Return the name of the class of an operator in stubs: ``_Packet_mul``."""
    return f"{_PACKET_PREFIX}{operator}"


def call_class_name(operator: str) -> str:
    """Return the name of the class of an operator's calls in stubs: ``_Call_mul``."""
    return f"{_CALL_PREFIX}{operator}"
