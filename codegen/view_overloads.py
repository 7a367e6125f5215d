"""Views of overload classes: one class for each overload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ..runtime.schema import Argument, FunctionSchema
from .literals import docstring, literal, string, tuple_of
from .model import Overload, Rules
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
    #: What derivatives are of -> formula, in the order of the declaration.
    derivatives: tuple[tuple[str, str], ...]
    #: The attributes that follow the kernels and derivatives.
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
        derivatives=tuple(_formulas(overload.rules)),
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
    return sorted([*found, *_rule_attributes(overload.rules)])


def _rule_attributes(rules: Rules) -> Iterator[tuple[str, str]]:
    if rules.shape is not None:
        yield "shape_rule", string(str(rules.shape))
    if rules.batching is not None:
        yield "batching_rule", string(str(rules.batching.rule))
        if rules.batching.parameters:
            parameters = tuple_of(map(string, rules.batching.parameters))
            yield "batching_parameters", parameters
    if rules.derivative_functions is not None:
        yield "derivative_functions", string(rules.derivative_functions)
    if rules.derivatives and rules.derivatives.output_differentiability:
        flags = tuple_of(map(literal, rules.derivatives.output_differentiability))
        yield "output_differentiability", flags


def _formulas(rules: Rules) -> Iterator[tuple[str, str]]:
    if rules.derivatives is not None:
        for key, formula in rules.derivatives.formulas.items():
            yield string(key), string(formula)


def parameters(
    schema: FunctionSchema,
    default: Callable[[Argument], Any] = attrgetter("default"),
) -> tuple[str, ...]:
    """Return the parameters of an overload as source.

    ``default`` gives the default of an argument that has one.
    """
    positional = [_parameter(arg, default) for arg in schema.positional]
    keyword_only = [_parameter(arg, default) for arg in schema.keyword_only]
    star = ["*"] if keyword_only else []
    return (*positional, *star, *keyword_only)


def _parameter(argument: Argument, default: Callable[[Argument], Any]) -> str:
    given = f" = {literal(default(argument))}" if argument.has_default else ""
    return f"{argument.name}: object{given}"
