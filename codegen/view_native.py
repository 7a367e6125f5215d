"""Views of operators that a library dispatches too, as PyTorch does.

While no guard is on, a call goes straight to the library. Else the handler is found
under the word that the library's key set of the call is: the keys of the arrays and of
the thread, by PyTorch's functions that tell them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..runtime.schema import Argument, FunctionSchema
from .literals import string, tuple_of
from .model import Overload, Packet
from .reserved import class_name
from .view_calls import free_name, hides_globals
from .view_names import PacketNames
from .view_overloads import overload_doc, parameters
from .view_packets import packet_doc

#: What the bodies of these functions read besides what all do.
NAMES: Final = (
    "native_excluded",
    "native_included",
    "native_keys",
    "native_overridden",
)
#: Types whose defaults are written as names, for which the library has objects.
_NAMED_DEFAULTS: Final = ("MemoryFormat", "Layout", "ScalarType")


@dataclass(frozen=True, slots=True)
class NativeCallView:
    """The body of a call, as pieces of source."""

    #: The locals that hold the handler, and the word of the key set.
    handler: str
    word: str
    #: Whether the word can be put together from single arrays: there are no lists.
    has_word: bool
    #: The arguments that are arrays, and whether each may be None.
    single: tuple[tuple[str, bool], ...]
    #: The arguments that may be arrays, or lists of arrays.
    arrays: str
    #: What may override the call, as subclasses of arrays do; modes always may.
    overriding: str
    arguments: str


@dataclass(frozen=True, slots=True)
class NativeOverloadView:
    """The class of one overload, as pieces of source."""

    class_name: str
    doc: str
    attributes: tuple[tuple[str, str], ...]
    cache: str
    handlers: str
    parameters: tuple[str, ...]
    #: None where the base class has to take the arguments as they come.
    call: NativeCallView | None


@dataclass(frozen=True, slots=True)
class NativePacketView:
    """The function of one operator, as pieces of source."""

    name: str
    doc: str
    packet: str
    overloads: tuple[str, ...]


def native_overload_view(
    overload: Overload, namespace: str, own: PacketNames
) -> NativeOverloadView:
    """Return the view of an overload."""
    schema = overload.schema
    attributes = {
        "namespace": string(namespace),
        "schema_text": string(str(schema)),
        "origin": string(overload.declaration.origin),
        "cache": own.cache(schema.overload_name),
    }
    if overload.tags:
        attributes["tags"] = tuple_of(map(string, overload.tags))
    return NativeOverloadView(
        class_name=class_name(schema),
        doc=overload_doc(overload),
        attributes=tuple(attributes.items()),
        cache=own.cache(schema.overload_name),
        handlers=own.handlers(schema.overload_name),
        parameters=parameters(schema),
        call=_call(schema) if _can_name_all(schema) else None,
    )


def native_packet_view(
    packet: Packet, namespace: str, own: PacketNames
) -> NativePacketView:
    """Return the view of a packet."""
    schemas = [overload.schema for overload in packet.overloads]
    return NativePacketView(
        name=packet.name,
        doc=packet_doc(packet, namespace),
        packet=own.packet(),
        overloads=tuple(f"{class_name(schema)}()" for schema in schemas),
    )


def native_names_used(views: Iterable[NativeOverloadView]) -> set[str]:
    """Return what the text of an operator uses of what it may have to import."""
    found = {"DISPATCHER", "NativeCache", "NativePacket"}
    calls = [view.call for view in views if view.call]
    if any(call.has_word for call in calls):
        found |= {"native_excluded", "native_included", "native_overridden"}
    if any(call.single for call in calls if call.has_word):
        found.add("native_keys")
    if any(call.arguments.partition(",")[0] == "self" for call in calls):
        found.add("self")
    return found


def _can_name_all(schema: FunctionSchema) -> bool:
    names = [argument.name for argument in schema.arguments]
    return not (
        hides_globals(names)
        or any(name in ("TypeError", *NAMES) for name in names)
        or any(
            arg.type.base.name in _NAMED_DEFAULTS and arg.default is not None
            for arg in schema.arguments
        )
    )


def _call(schema: FunctionSchema) -> NativeCallView:
    names = [arg.name for arg in schema.arguments]
    arrays = [arg for arg in schema.arguments if arg.type.base.name == "Tensor"]
    named = [f"{arg.name}={arg.name}" for arg in schema.keyword_only]
    return NativeCallView(
        handler=free_name("handler", names),
        word=free_name("word", names),
        has_word=not any("list" in _kinds(arg) for arg in arrays),
        single=tuple((arg.name, "optional" in _kinds(arg)) for arg in arrays),
        arrays=", ".join(arg.name for arg in arrays),
        overriding=", ".join(arg.name for arg in arrays) or "None",
        arguments=", ".join([*(arg.name for arg in schema.positional), *named]),
    )


def _kinds(argument: Argument) -> set[str]:
    """Return what a type is made of, from the outside in: ``optional``, ``list``."""
    kinds: set[str] = set()
    found = argument.type
    while found.kind != "base":
        kinds.add(found.kind)
        found = found.element
    return kinds
