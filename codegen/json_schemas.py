"""The YAML that projects write, described as JSON Schema, for editors.

It is made from the tables and patterns that the readers use, so that each fact stands
in one place. What takes more than one value to judge is left to the generator: which
keys and tags there are, whether a schema parses, whether a name occurs twice. The files
are in ``schemas/``; a test writes them with ``--update-cases``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from . import export_fields, fields, keyspace, keyspace_selection, rule_fields
from .config import RULE_MODULES
from .export_fields import EXPORT_FIELDS, torch_space
from .fields import FIELDS, Reader
from .keyspace_kernels import RULE_FIELDS
from .keyspace_names import BACKEND, GROUP_NAME, KEY_NAME
from .loader import TAG_FIELDS
from .nodes import MAX_TEXT
from .values import ELEMENT, KERNEL, NAME, OPERATOR, REFERENCE, RULE, UFUNC

JsonSchema: TypeAlias = dict[str, Any]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_FLAG: Final[JsonSchema] = {"type": "boolean"}
#: JSON Schema has the expressions of ECMAScript, whose groups are named differently.
_GROUP_WITH_NAME: Final = re.compile(r"\(\?P<\w+>")


def json_schemas() -> dict[str, JsonSchema]:
    """Return the schemas by the names of their files."""
    return {
        "operators.schema.json": _file("Operators of keyslot", _list_of(_entry())),
        "tags.schema.json": _file("Tags of operators", _list_of(_tag())),
        "keys.schema.json": _file("A key space of keyslot", _key_space()),
    }


def _file(title: str, content: JsonSchema) -> JsonSchema:
    return {"$schema": _DIALECT, "title": title, **content}


# --- operators and tags ---------------------------------------------------------------


def _entry() -> JsonSchema:
    known = {name: _OF_READER[reader]() for name, reader in FIELDS.items()}
    return _object({"func": _text(r"[^(]+\([\s\S]*"), **known}, required=["func"])


def _tag() -> JsonSchema:
    return _object(dict.fromkeys(TAG_FIELDS, _text()), required=TAG_FIELDS)


def _keys() -> JsonSchema:
    return _either(_words(KEY_NAME.pattern), _list_of(_words(KEY_NAME.pattern)))


def _dispatch() -> JsonSchema:
    return _mapping(_words(KEY_NAME.pattern), _text(KERNEL.pattern))


def _export() -> JsonSchema:
    known = {name: _OF_READER[read]() for name, read in EXPORT_FIELDS.items()}
    formulas = _mapping(_text(NAME.pattern), _text())
    known["backward"] = _either(known["backward"], formulas)
    return _either(_FLAG, _object(known, required=()))


def _derivatives() -> JsonSchema:
    formulas = _mapping(_words(NAME.pattern), _text())
    outputs = {rule_fields.OUTPUTS: _list_of(_FLAG)}
    return {**formulas, "properties": outputs, "minProperties": 1}


def _torch_kernels() -> JsonSchema:
    keys = "|".join((*torch_space().backends, *export_fields.COMPOSITES))
    return _mapping(_words(keys), _text(REFERENCE.pattern))


def _loops() -> JsonSchema:
    loop = _text(UFUNC.pattern)
    return _either(loop, _mapping({"enum": [*fields.UFUNC_LOOPS]}, loop))


def _precomputed() -> JsonSchema:
    element = ELEMENT.pattern
    return _list_of(_text(rf"([\s\S]* -> )?\s*{element}(\s*,\s*{element})*\s*"))


#: How a value is described that a reader of `fields.py` reads.
_OF_READER: Final[Mapping[Reader, Callable[[], JsonSchema]]] = {
    fields.read_device_check: lambda: {"enum": [*fields.DEVICE_CHECKS]},
    fields.read_dispatch: _dispatch,
    export_fields.read_export: _export,
    export_fields.read_kernels: _torch_kernels,
    export_fields.read_reference: lambda: _text(REFERENCE.pattern),
    fields.read_flag: lambda: _FLAG,
    fields.read_keys: _keys,
    fields.read_name: lambda: _text(NAME.pattern),
    fields.read_names: lambda: _list_of(_text(NAME.pattern)),
    fields.read_operator: lambda: _text(OPERATOR.pattern),
    fields.read_operators: lambda: _words(OPERATOR.pattern),
    fields.read_precomputed: _precomputed,
    fields.read_tags: lambda: _either(_text(), _set_of(_text())),
    fields.read_text: lambda: _text(),
    fields.read_ufunc: _loops,
    rule_fields.read_batching: lambda: _text(RULE.pattern),
    rule_fields.read_derivatives: _derivatives,
    rule_fields.read_shape: lambda: _text(KERNEL.pattern),
    fields.read_variants: lambda: _words("|".join(fields.VARIANTS)),
}


# --- key spaces -----------------------------------------------------------------------


def _key_space() -> JsonSchema:
    name = _text(KEY_NAME.pattern)
    group = _text(GROUP_NAME.pattern)
    classes = _one_or_more(_text(keyspace.CLASS.pattern))
    pattern = _text(rf"\w*{re.escape(BACKEND)}\w*")
    per_backend = {**_mapping(name, pattern), "minProperties": 1, "maxProperties": 1}
    selection = _selection(group)
    known = {
        "name": _text(),
        "functionalities": _list_of(_either(name, per_backend)),
        "backends": _set_of(name),
        "groups": _mapping(group, _one_or_more(name)),
        "aliases": _mapping(name, selection),
        "autograd": _mapping(name, selection),
        "autograd_other": name,
        "fallthrough": selection,
        "fallbacks": _mapping(name, _text(REFERENCE.pattern)),
        "rules": _mapping({"enum": [*RULE_MODULES]}, _rule()),
        "included": selection,
        "excluded": selection,
        "array_types": _mapping(name, classes),
        "scalar_types": _mapping(name, classes),
        "array_functionalities": _one_or_more(name),
        "default_backend": name,
    }
    return _object(known, required=keyspace.REQUIRED)


def _rule() -> JsonSchema:
    known = {"key": _text(KEY_NAME.pattern), "kernel": _text(REFERENCE.pattern)}
    return _object(known, required=RULE_FIELDS)


def _selection(name: JsonSchema) -> JsonSchema:
    names = (*keyspace_selection.REQUIRED, *keyspace_selection.OPTIONAL)
    parts: JsonSchema = {part: _one_or_more(name) for part in names}
    taken_away = _object(parts, required=keyspace_selection.REQUIRED)
    return _either(_one_or_more(name), taken_away)


# --- parts ----------------------------------------------------------------------------


def _text(pattern: str | None = None) -> JsonSchema:
    described: JsonSchema = {"type": "string", "maxLength": MAX_TEXT}
    if pattern is not None:
        described["pattern"] = f"^(?:{_GROUP_WITH_NAME.sub('(?:', pattern)})$"
    return described


def _words(pattern: str) -> JsonSchema:
    """Return the schema of words of a form, with commas between."""
    return _text(rf"\s*(?:{pattern})\s*(?:,\s*(?:{pattern})\s*)*")


def _list_of(item: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": item}


def _set_of(item: JsonSchema) -> JsonSchema:
    return {**_list_of(item), "uniqueItems": True}


def _one_or_more(item: JsonSchema) -> JsonSchema:
    return _either(item, _set_of(item))


def _either(*choices: JsonSchema) -> JsonSchema:
    return {"anyOf": [*choices]}


def _mapping(names: JsonSchema, values: JsonSchema) -> JsonSchema:
    return {"type": "object", "propertyNames": names, "additionalProperties": values}


def _object(known: Mapping[str, JsonSchema], required: Iterable[str]) -> JsonSchema:
    return {
        "type": "object",
        "properties": dict(known),
        "required": [*required],
        "additionalProperties": False,
    }
