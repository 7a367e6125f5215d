"""View of the list of operators that PyTorch takes for its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .exports import Exported
from .literals import string, tuple_of


@dataclass(frozen=True, slots=True)
class ExportField:
    """A field of an operator: one value, or entries of a mapping."""

    name: str
    value: str
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExportView:
    """One operator, as pieces of source; fields with their default are left away."""

    fields: tuple[ExportField, ...]


def export_views(exported: Iterable[Exported]) -> list[ExportView]:
    """Return the views of operators, in their order."""
    return [ExportView(tuple(_fields(each))) for each in exported]


def _fields(exported: Exported) -> Iterator[ExportField]:
    overload, export = exported.overload, exported.export
    yield _value("schema", string(str(overload.schema)))
    yield _value("origin", string(overload.declaration.origin))
    if exported.kernels:
        kernels = {key: str(kernel) for key, kernel in exported.kernels.items()}
        yield _mapping("kernels", kernels)
    if exported.through_numpy is not None:
        yield _value("through_numpy", string(exported.through_numpy))
    yield _value("tags", tuple_of(map(string, exported.tags)))
    for field in ("shape", "backward", "setup_context", "vmap"):
        reference = export.references.get(field)
        if reference is not None:
            yield _value(field, string(str(reference)))
    if exported.functional is not None:
        yield _value("functional", string(exported.functional))
    if export.derivatives:
        yield _mapping("derivatives", export.derivatives)


def _value(name: str, source: str) -> ExportField:
    return ExportField(name, source, ())


def _mapping(name: str, values: Mapping[str, str]) -> ExportField:
    pairs = ((string(key), string(value)) for key, value in values.items())
    return ExportField(name, "", tuple(pairs))
