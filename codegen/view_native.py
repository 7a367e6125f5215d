"""Views of operators that a library dispatches too, as PyTorch does.

While no guard is on, a call goes straight to the library. Else the handler of the last
call is the one to call if arrays and thread bring the same keys, which the library can
tell fast, and the cache finds any other.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..runtime.resolution import default_value
from ..runtime.schema import Argument, FunctionSchema
from .literals import string, tuple_of
from .model import Overload, Packet
from .reserved import class_name
from .view_calls import free_name, hides_globals
from .view_names import PacketNames
from .view_overloads import overload_doc, parameters
from .view_packets import packet_doc

#: What the bodies of these functions read besides what all do.
NAMES: Final = ("PYTHON_DISPATCHER", "native_includes", "native_overridden")
#: Types whose defaults are written as names, for which the library has objects.
_NAMED_DEFAULTS: Final = ("MemoryFormat", "Layout", "ScalarType")


@dataclass(frozen=True, slots=True)
class NativeCallView:
    """The body of a call, as pieces of source."""

    #: The local that holds the handler.
    handler: str
    #: The locals that tell whether an argument brings the keys of the last call, and
    #: the arguments; empty where only values tell which arrays there are.
    checks: tuple[tuple[str, str], ...]
    #: The arguments that may be arrays, or lists of arrays.
    arrays: str
    arguments: str

    @property
    def locals(self) -> tuple[str, ...]:
        """What the cache has of the last call."""
        return (*(check for check, _ in self.checks), self.handler)


@dataclass(frozen=True, slots=True)
class NativeOverloadView:
    """The class of one overload, as pieces of source."""

    class_name: str
    doc: str
    attributes: tuple[tuple[str, str], ...]
    cache: str
    #: How many arrays the cache tells apart by themselves; empty for none.
    arrays: str
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
    call = _call(schema) if _can_name_all(schema) else None
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
        arrays=str(len(call.checks)) if call and call.checks else "",
        # The library refuses one value in the place of a list, as a schema has it.
        parameters=parameters(schema, default_value),
        call=call,
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
    if any(call.checks for call in calls):
        found.update(NAMES)
    if any(call.arguments.partition(",")[0] == "self" for call in calls):
        found.add("self")
    return found


def _can_name_all(schema: FunctionSchema) -> bool:
    names = [argument.name for argument in schema.arguments]
    return not (
        hides_globals(names)
        or any(name in NAMES for name in names)
        or any(
            arg.type.base.name in _NAMED_DEFAULTS and arg.default is not None
            for arg in schema.arguments
        )
    )


def _call(schema: FunctionSchema) -> NativeCallView:
    names = [arg.name for arg in schema.arguments]
    arrays = [arg for arg in schema.arguments if arg.type.base.name == "Tensor"]
    named = [f"{arg.name}={arg.name}" for arg in schema.keyword_only]
    has_lists = any("list" in _kinds(arg) for arg in arrays)
    return NativeCallView(
        handler=free_name("handler", names),
        checks=() if has_lists else tuple(_checks(arrays, names)),
        arrays=", ".join(arg.name for arg in arrays),
        arguments=", ".join([*(arg.name for arg in schema.positional), *named]),
    )


def _checks(
    arrays: Iterable[Argument], names: Container[str]
) -> Iterator[tuple[str, str]]:
    for argument in arrays:
        yield free_name(f"is_same_{argument.name}", names), argument.name


def _kinds(argument: Argument) -> set[str]:
    """Return what a type is made of, from the outside in: ``optional``, ``list``."""
    kinds: set[str] = set()
    found = argument.type
    while found.kind != "base":
        kinds.add(found.kind)
        found = found.element
    return kinds
