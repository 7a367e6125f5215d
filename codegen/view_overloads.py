"""Views of overload classes: one class for each overload."""

from __future__ import annotations

from dataclasses import dataclass

from ..runtime.schema import Argument, FunctionSchema
from .literals import docstring, literal, string, tuple_of
from .model import Overload
from .reserved import class_name
from .view_calls import CacheView, CallView, call_view, hides_globals, shape_of
from .view_names import PacketNames


@dataclass(frozen=True, slots=True)
class OverloadView:
    """The class of one overload, as pieces of source."""

    class_name: str
    doc: str
    #: Class attributes in order; those with their default are left away.
    attributes: tuple[tuple[str, str], ...]
    #: Registered key -> kernel, sorted by key.
    kernels: tuple[tuple[str, str], ...]
    #: The attributes that follow the kernels.
    more_attributes: tuple[tuple[str, str], ...]
    cache: CacheView
    parameters: tuple[str, ...]
    #: None where the parameters would hide what the body of ``__call__`` reads; the
    #: base class has a ``__call__`` that takes whatever it is given.
    call: CallView | None


def overload_view(overload: Overload, namespace: str, own: PacketNames) -> OverloadView:
    """Return the view of an overload."""
    schema = overload.schema
    text = str(schema)
    cache = overload_cache(schema, own)
    kernels = overload.kernels.items()
    return OverloadView(
        class_name=class_name(schema),
        doc=overload_doc(overload),
        attributes=(
            ("namespace", string(namespace)),
            ("schema_text", string(text)),
            ("origin", string(overload.declaration.origin)),
        ),
        kernels=tuple((string(key), string(str(kernel))) for key, kernel in kernels),
        more_attributes=(
            *_optional_attributes(overload),
            ("declared_table", f"TABLES[{table_key_source(overload)}]"),
            ("cache", cache.name),
        ),
        cache=cache,
        parameters=parameters(schema),
        call=None if hides_globals(cache.shape.names) else call_view(cache),
    )


def overload_doc(overload: Overload) -> str:
    """Return the docstring of an overload as source."""
    return docstring(str(overload.schema), overload.doc)


def overload_cache(schema: FunctionSchema, own: PacketNames) -> CacheView:
    """Return the view of the cache of an overload."""
    name = schema.overload_name
    return CacheView(own.cache(name), own.handlers(name), shape_of([schema]))


def table_key(overload: Overload) -> tuple[str, ...]:
    """Return what the dispatch table of an overload depends on."""
    return tuple(
        f"{key}:fallthrough" if kernel.is_fallthrough else key
        for key, kernel in sorted(overload.kernels.items())
    )


def table_key_source(overload: Overload) -> str:
    """Return the key of an overload's table as source."""
    return tuple_of(map(string, table_key(overload)))


def _optional_attributes(overload: Overload) -> list[tuple[str, str]]:
    values = {
        "mixed_backends": overload.mixed_backends,
        "tags": overload.tags,
        "variants": () if overload.variants == ("function",) else overload.variants,
    }
    found = [(k, tuple_of(map(string, value))) for k, value in values.items() if value]
    if overload.derived_from is not None:
        found.append(("derived_from", string(overload.derived_from)))
    return sorted(found)


def parameters(schema: FunctionSchema) -> tuple[str, ...]:
    """Return the parameters of an overload as source."""
    positional = [_parameter(arg) for arg in schema.positional]
    keyword_only = [_parameter(arg) for arg in schema.keyword_only]
    star = ["*"] if keyword_only else []
    return (*positional, *star, *keyword_only)


def _parameter(argument: Argument) -> str:
    default = f" = {literal(argument.default)}" if argument.has_default else ""
    return f"{argument.name}: object{default}"
