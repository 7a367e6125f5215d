"""The JSON Schemas that editors check YAML with say what the generator says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from keyslot.codegen import keyspace
from keyslot.codegen.fields import FIELDS
from keyslot.codegen.json_schemas import json_schemas

from .codegen_cases import CASES, CONFIG, generate, read_cases

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / "schemas"
OPERATORS, TAGS, KEYS = (
    f"{name}.schema.json" for name in ("operators", "tags", "keys")
)
#: Every YAML file of the repository, and its schema.
SHIPPED = {
    **dict.fromkeys(sorted((SCHEMAS / "ops").glob("*.yaml")), OPERATORS),
    **dict.fromkeys(sorted(SCHEMAS.rglob("keys.yaml")), KEYS),
    SCHEMAS / "tags.yaml": TAGS,
}
GOOD = "neg(Tensor self) -> Tensor"


def mistakes(name: str, text: str) -> list[str]:
    """Return what a schema has to say against a YAML text."""
    validator: Any = Draft202012Validator(json_schemas()[name])
    return [error.message for error in validator.iter_errors(yaml.safe_load(text))]


@pytest.mark.parametrize("name", json_schemas())
def test_shipped_schema_is_that_of_the_readers(name: str, update_cases: bool) -> None:
    """The files are made from the tables that the generator reads YAML with."""
    text = json.dumps(json_schemas()[name], indent=2) + "\n"
    if update_cases:
        (SCHEMAS / name).write_text(text, "utf-8", newline="\n")
    assert (SCHEMAS / name).read_text("utf-8") == text
    Draft202012Validator.check_schema(json.loads(text))


def test_every_field_is_described() -> None:
    """The schemas have the fields that the readers take, and no others."""
    schemas: dict[str, Any] = json_schemas()
    assert set(schemas[OPERATORS]["items"]["properties"]) == {"func", *FIELDS}
    known = {*keyspace.REQUIRED, *keyspace.OPTIONAL}
    assert set(schemas[KEYS]["properties"]) == known


@pytest.mark.parametrize(
    ("path", "name"), SHIPPED.items(), ids=[path.stem for path in SHIPPED]
)
def test_shipped_yaml_fits(path: Path, name: str) -> None:
    """No file of the repository has a mistake, and each names its schema to editors."""
    text = path.read_text("utf-8")
    assert mistakes(name, text) == []
    line = text.splitlines()[0]
    assert line.startswith("# yaml-language-server: $schema=")
    schema = path.parent / line.partition("=")[2]
    assert schema.resolve() == SCHEMAS / name


def test_declarations_that_work_fit() -> None:
    """What the generator's own cases declare and generate has no mistake."""
    _, cases = read_cases(CASES / "generated.txt", ("generated", "says"))
    texts = [
        text
        for case in cases
        for name, text in case.files.items()
        if name.startswith("ops") and name.endswith(".yaml")
    ]
    assert len(texts) > 3
    assert [found for text in texts if (found := mistakes(OPERATORS, text))] == []


@pytest.mark.parametrize(
    "field",
    [
        "fnuc: x",
        "doc: [x]",
        "device_guard: maybe",
        "device_check: Some",
        "variants: functino",
        "variants: [function]",
        "dispatch: neg",
        "dispatch: [neg]",
        "dispatch: {numPy: neg}",
        "dispatch: {NumPy: 'neg; import os'}",
        "dispatch: {NumPy: [neg]}",
        "autogen: neg.out; neg",
        "autogen: [neg.out]",
        "tags: {core: 1}",
        "tags: [core, core]",
        "structured_delegate: aten::neg.out",
        "structured_inherits: a b",
        "mixed_backends: {NumPy: 1}",
        "precomputed: dim -> int dim",
        "precomputed: [dim -> dim]",
        "ufunc_inner_loop: {Loop: add (Int)}",
        "ufunc_inner_loop: add",
        "cpp_no_default_args: dim",
        "torch: maybe",
        "torch: [true]",
        "torch: {fake: 'm:f'}",
        "torch: {shape: f}",
        "torch: {kernels: {Numpy: 'm:f'}}",
        "torch: {kernels: 'm:f'}",
        "torch: {backward: {1self: grad}}",
        "torch: {backward: grad * 2}",
        "torch: {vmap: {self: 'm:f'}}",
    ],
)
def test_wrong_field_is_refused_by_both(field: str, tmp_path: Path) -> None:
    """What the schema of operators refuses, the generator refuses as well."""
    text = f"- func: {GOOD}\n  {field}\n"
    assert mistakes(OPERATORS, text)
    assert generate(tmp_path, {"ops.yaml": text}).code == 2


@pytest.mark.parametrize("text", ["func: x", "- x", "- doc: x", "- func: []", "- 1"])
def test_wrong_file_is_refused_by_both(text: str, tmp_path: Path) -> None:
    """The same for files that hold something else than entries with a `func`."""
    assert mistakes(OPERATORS, text)
    assert generate(tmp_path, {"ops.yaml": text}).code == 2


@pytest.mark.parametrize(
    "text",
    ["tag: x", "- tag: x", "- {tag: x, desc: y, more: z}", "- {tag: [x], desc: y}"],
)
def test_wrong_tags_are_refused_by_both(text: str, tmp_path: Path) -> None:
    """What the schema of tags refuses, the generator refuses as well."""
    assert mistakes(TAGS, text)
    files = {"ops.yaml": f"- func: {GOOD}\n", "tags.yaml": text}
    assert generate(tmp_path, files).code == 2


@pytest.mark.parametrize(
    "field",
    [
        "more: x",
        "name: [x]",
        "backends: A",
        "backends: [a]",
        "backends: [A, A]",
        "functionalities: {Dense: x}",
        "functionalities: [{Dense: x}]",
        "functionalities: [{A: '{backend}', B: '{backend}'}]",
        "groups: [A]",
        "groups: {a-b: [A]}",
        "aliases: A",
        "aliases: {A: {except: A}}",
        "included: {functionalities: A, more: x}",
        "array_types: {A: ndarray}",
        "array_types: [A]",
        "default_backend: [A]",
        "autograd_other: [A]",
    ],
)
def test_wrong_key_space_is_refused_by_both(field: str, tmp_path: Path) -> None:
    """What the schema of keys refuses, the generator refuses as well."""
    entries = {"name": "mine", "functionalities": "[Mine]"}
    entries |= {field.partition(":")[0]: field.partition(": ")[2]}
    text = "".join(f"{name}: {value}\n" for name, value in entries.items())
    assert mistakes(KEYS, text)
    config = f'{CONFIG}keys = "keys.yml"\n'
    files = {"ops.yaml": f"- func: {GOOD}\n", "keys.yml": text}
    assert generate(tmp_path, files | {"pyproject.toml": config}).code == 2
