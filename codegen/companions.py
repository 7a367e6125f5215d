"""What in-place and ``out=`` functions are companions of, and say of themselves.

``add_`` and ``add.out`` do what ``add`` does. Where YAML has no text for them, theirs
follows from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ..runtime.companions import Companionship, companionship
from ..runtime.schema import FunctionSchema, ListType
from ..runtime.schema_kinds import SchemaKind, kind_of
from .model import Overload

_WITH_COMPANION: Final = (SchemaKind.INPLACE, SchemaKind.OUT)


def has_companion(schema: FunctionSchema) -> bool:
    """Whether a function is of a kind that another one should stand beside."""
    return kind_of(schema) in _WITH_COMPANION


def companions(schemas: Iterable[FunctionSchema]) -> dict[Companionship, str]:
    """Return the names of functions that others may be companions of."""
    found: dict[Companionship, str] = {}
    for schema in schemas:
        if kind_of(schema) in (SchemaKind.FUNCTIONAL, SchemaKind.MUTABLE):
            found.setdefault(companionship(schema), schema.qualified)
    return found


def documented(overloads: Sequence[Overload]) -> list[Overload]:
    """Return overloads with the texts of YAML, or those that follow."""
    known = companions(overload.schema for overload in overloads)
    return [replace(overload, doc=_doc(overload, known)) for overload in overloads]


def _doc(overload: Overload, known: dict[Companionship, str]) -> str:
    if overload.declaration.doc and overload.derived_from is None:
        return overload.declaration.doc
    if not has_companion(overload.schema):
        return _doc_of_functional(overload)
    companion = known.get(companionship(overload.schema), overload.derived_from)
    return _doc_of_companion(overload.schema, companion) if companion else ""


def _doc_of_companion(schema: FunctionSchema, companion: str) -> str:
    is_inplace = kind_of(schema) is SchemaKind.INPLACE
    how = "in place:" if is_inplace else "but"
    written = [arg.name for arg in schema.arguments if arg.is_write]
    lists = any(
        isinstance(arg.type, ListType) for arg in schema.arguments if arg.is_write
    )
    results = "results" if len(written) > 1 or lists else "result"
    end = _returned(written, is_inplace) if schema.returns else ""
    where = _all(written)
    return f"Do what `{companion}` does, {how} write the {results} to {where}{end}."


def _returned(written: list[str], is_inplace: bool) -> str:
    if len(written) > 1:
        return " and return them"
    return " and return it" if is_inplace else f" and return {_all(written)}"


def _doc_of_functional(overload: Overload) -> str:
    """Return the text of a function that is derived from one that changes arguments."""
    if overload.derived_from is None or not overload.declaration.doc:
        return ""
    changed = _all(
        arg.name for arg in overload.declaration.schema.arguments if arg.is_write
    )
    return (
        f"Do what `{overload.derived_from}` does, but leave {changed} unchanged and"
        " return what would be written."
    )


def _all(names: Iterable[str]) -> str:
    *most, last = [f"`{name}`" for name in names]
    return f"{', '.join(most)} and {last}" if most else last
