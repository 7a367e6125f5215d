"""Read schema files to declarations: nodes in, model out.

An entry with a mistake is left out after the mistake is reported, and reading goes on,
so that one run shows everything there is to mend in every file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..runtime.errors import SchemaError
from ..runtime.schema import FunctionSchema, parse_schema
from ..runtime.space import KeySpace
from .config import SourceFile
from .expect import (
    expect_list,
    expect_map,
    expect_text,
)
from .fields import FIELDS
from .model import (
    Declaration,
    at_derivative,
    at_key,
    in_derivatives,
    in_export,
    in_formula,
)
from .nodes import (
    Map,
    Node,
    Scalar,
    read_yaml,
)
from .problems import Located, Problems, unknown
from .values import Reading

_FIELDS: Final = ("func", *FIELDS)
TAG_FIELDS: Final = ("tag", "desc")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The entries that are free of mistakes, and the names of the others."""

    declarations: list[Declaration]
    left_out: set[str]

    def extend(self, other: Loaded) -> None:
        """Take in what another file has."""
        self.declarations.extend(other.declarations)
        self.left_out.update(other.left_out)


def load_tags(file: SourceFile, problems: Problems) -> dict[str, str]:
    """Read the tags that entries may use: a list of ``tag`` with a ``desc``."""
    root = read_yaml(file.path, file.name, problems)
    found: dict[str, str] = {}
    for entry in _entries(root, "a file of tags", problems):
        for field, key in entry.keys.items():
            if field not in TAG_FIELDS:
                problems.add(key, unknown("field", field, TAG_FIELDS))
        name = _required(entry, "tag", problems)
        description = _required(entry, "desc", problems)
        if name in found:
            problems.add(entry.entries["tag"], f"the tag {name!r} occurs twice")
        elif name is not None and description is not None:
            found[name] = description
    return found


def load_declarations(
    file: SourceFile,
    namespace: str,
    space: KeySpace,
    tags: Mapping[str, str],
    problems: Problems,
) -> Loaded:
    """Read the entries of a schema file."""
    root = read_yaml(file.path, file.name, problems)
    reading = Reading(problems, space, tags)
    loaded = Loaded([], set())
    for entry in _entries(root, "a schema file", problems):
        declaration = _declaration(entry, file.cited, namespace, reading)
        if declaration is not None:
            loaded.declarations.append(declaration)
        else:
            loaded.left_out.add(_name(entry))
    return loaded


def _entries(root: Node | None, what: str, problems: Problems) -> Iterator[Map]:
    if root is None or (isinstance(root, Scalar) and root.is_null):
        return
    remedy = "begin each entry with '- '" if isinstance(root, Map) else ""
    for item in expect_list(root, what, problems, instead=remedy) or ():
        entry = expect_map(item, "an entry", problems)
        if entry is not None:
            yield entry


def _required(entry: Map, field: str, problems: Problems) -> str | None:
    node = entry.entries.get(field)
    if node is None:
        problems.add(entry, f"missing field {field}")
        return None
    return expect_text(node, f"{field!r}", problems)


def _declaration(
    entry: Map, origin: str, namespace: str, reading: Reading
) -> Declaration | None:
    before = len(reading.problems)
    schema = _schema(entry, namespace, reading.problems)
    values = _values(entry, reading)
    if schema is None or len(reading.problems) > before:
        return None
    return Declaration(schema=schema, origin=origin, places=_places(entry), **values)


def _places(entry: Map) -> Mapping[str, Located]:
    """Return where fields stand, and where the keys and fields inside of them do."""
    places: dict[str, Located] = {**entry.entries}
    places.update(_key_places(entry.entries.get("dispatch"), at_key("")))
    derivatives = entry.entries.get("derivatives")
    if isinstance(derivatives, Map):
        places.update(_key_places(derivatives, in_derivatives("")))
        places.update(_formula_places(derivatives))
    export = entry.entries.get("torch")
    if isinstance(export, Map):
        for field, node in export.entries.items():
            places[in_export(field)] = node
            places.update(_key_places(node, in_export(f"{field}.")))
        formulas = export.entries.get("backward")
        if isinstance(formulas, Map):
            places.update({in_formula(k): node for k, node in formulas.entries.items()})
    return places


def _formula_places(node: Map) -> Iterator[tuple[str, Located]]:
    """Yield where formulas stand; one may be of several arguments."""
    for text, formula in node.entries.items():
        names = ", ".join(word.strip() for word in text.split(","))
        yield at_derivative(names), formula


def _key_places(node: Node | None, prefix: str) -> Iterator[tuple[str, Located]]:
    """Yield where the keys of a mapping stand; several may share a line."""
    if isinstance(node, Map):
        for text, key in node.keys.items():
            for word in text.split(","):
                yield f"{prefix}{word.strip()}", key


def _schema(entry: Map, namespace: str, problems: Problems) -> FunctionSchema | None:
    text = _required(entry, "func", problems)
    if text is None:
        return None
    node = entry.entries["func"]
    try:
        schema = parse_schema(text)
    except SchemaError as error:
        column = error.column - 1
        place = node.column_of(column) if isinstance(node, Scalar) else node.column
        problems.add(node, error.problem, place)
        return None
    if schema.namespace not in (None, namespace):
        message = f"the namespace is {namespace!r}, not {schema.namespace!r}"
        problems.add(node, message)
    return schema


def _values(entry: Map, reading: Reading) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field, node in entry.entries.items():
        if field == "func":
            continue
        reader = FIELDS.get(field)
        if reader is None:
            key = entry.keys[field]
            reading.problems.add(key, unknown("field", field, _FIELDS))
        else:
            values[field] = reader(node, repr(field), reading)
    return values


def _name(entry: Map) -> str:
    """Return what stands where the name of the function should be."""
    node = entry.entries.get("func")
    text = node.text if isinstance(node, Scalar) else ""
    return text.partition("(")[0].rpartition("::")[2].strip()
