"""Operators defined at run time: as generated ones, with a slower first look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from . import namespace as registry
from .cache import HandlerCache
from .errors import (
    DuplicateOperatorError,
    LibraryError,
    UnknownOperatorError,
)
from .errors.registrations import SAME_LINE
from .kernel import Site
from .packet import FUNCTION_ATTRIBUTES, OpOverloadPacket
from .registrations import Registration
from .space import is_identifier

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .op import OpOverload
    from .schema import FunctionSchema


class Definition(NamedTuple):
    """What is said of an overload that is defined at run time."""

    #: The schema as it was given.
    text: str
    doc: str
    #: Tags as they were given: one, or several.
    tags: str | Iterable[str]
    site: Site


def define_overload(
    dispatcher: Dispatcher, namespace: str, definition: Definition
) -> Registration:
    """Define one overload and enter it in its namespace; return the undo.

    Raises SchemaError, LibraryError, or DuplicateOperatorError.
    """
    text, doc, _, site = definition
    dispatcher.check_dispatches("definitions of operators")
    schema = _parse(text)
    if schema.namespace not in (None, namespace):
        raise LibraryError(
            f"{text.partition('(')[0]} names another namespace than {namespace!r}"
        )
    with dispatcher.lock:
        function = _packet_function(namespace, schema)
        if function is not None:
            _refuse_duplicate(function, namespace, schema, text, site)
        op = _make_overload(dispatcher, namespace, schema, definition)
        if function is None:
            function = _make_function(op, schema.name, doc)
            registry.add_defined(namespace, schema.name, function)
        else:
            function.packet.add(op)
        dispatcher.changed()
    undo = lambda: _remove(dispatcher, op, function, site)  # noqa: E731
    return Registration(undo, f"{op.name} defined", op)


def _parse(text: object) -> FunctionSchema:
    # Not above: programs that define nothing parse nothing.
    from .schema import parse_schema

    if not isinstance(text, str):
        raise LibraryError(f"a schema is a str, not {type(text).__name__}")
    schema = parse_schema(text)
    if schema.overload_name in FUNCTION_ATTRIBUTES:
        raise LibraryError(
            f"{schema.qualified}: no overload can be named {schema.overload_name!r},"
            " an attribute that every operator has"
        )
    return schema


def _read_tags(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return tags as generated classes have them: sorted, each once."""
    try:
        tags = {given} if isinstance(given, str) else set(given)
    except TypeError:
        raise LibraryError(f"tags is one tag or several, not {given!r}") from None
    for tag in tags:
        if not is_identifier(tag):
            raise LibraryError(f"a tag is an identifier, not {tag!r}")
    return tuple(sorted(tags))


def _packet_function(namespace: str, schema: FunctionSchema) -> Any:
    try:
        return registry.find_packet(namespace, schema.name)
    except UnknownOperatorError:
        return None


def _refuse_duplicate(
    function: Any, namespace: str, schema: FunctionSchema, text: str, site: Site
) -> None:
    if schema.overload_name not in function.packet.overloads():
        _refuse_indistinguishable(function.packet, schema)
        return
    there: OpOverload = getattr(function, schema.overload_name)
    name = f"{namespace}::{schema.qualified}"
    difference = _difference(there, text, str(site))
    raise DuplicateOperatorError(name, there.origin, str(site), difference)


def _refuse_indistinguishable(packet: OpOverloadPacket, schema: FunctionSchema) -> None:
    for there in packet.members:
        if there.schema.as_called == schema.as_called:
            raise LibraryError(
                f"no call can tell {schema.qualified} from {there.qualified_name}, at"
                f" {there.origin}: their arguments have the same names and types"
            )


def _difference(there: OpOverload, text: str, site: str) -> str:
    if there.schema_text == text:
        if there.origin == site:
            return f"{SAME_LINE}; close the Library before defining again"
        return "the schemas are the same"
    return f"the schemas differ:\n    {there.schema_text}\n    {text}"


def _make_overload(
    dispatcher: Dispatcher,
    namespace: str,
    schema: FunctionSchema,
    definition: Definition,
) -> OpOverload:
    text, doc, tags, site = definition
    positional = tuple(argument.name for argument in schema.positional)
    keyword_only = tuple(argument.name for argument in schema.keyword_only)
    attributes: dict[str, Any] = {
        "__slots__": (),
        "__doc__": f"{text}\n\n{doc}".strip(),
        "__reduce__": _reduce,
        "namespace": namespace,
        "schema_text": text,
        "origin": str(site),
        "kernels": {},
        "tags": _read_tags(tags),
        "cache": HandlerCache(positional, keyword_only),
    }
    name = f"Overload_{schema.name}_{schema.overload_name}"
    made = type(name, (dispatcher.overload_type,), attributes)
    op: OpOverload = made()
    return op


def _reduce(op: OpOverload) -> tuple[Any, ...]:
    return registry.find_overload, (op.namespace, op.qualified_name)


def _make_function(op: OpOverload, name: str, doc: str) -> Any:
    def operator(*args: Any, **kwargs: Any) -> Any:
        return packet.call(args, kwargs)

    operator.__name__ = name
    # Where pickle finds it again.
    operator.__module__ = registry.__name__
    operator.__qualname__ = f"ops.{op.namespace}.{name}"
    operator.__doc__ = doc or op.__doc__
    packet = OpOverloadPacket(operator, (op,))
    return operator


def _remove(dispatcher: Dispatcher, op: OpOverload, function: Any, site: Site) -> None:
    with dispatcher.lock:
        if len(function.packet.members) > 1:
            function.packet.remove(op)
        else:
            registry.remove_defined(op.namespace, function.__name__)
        op.remove(site.library)
        dispatcher.changed()
