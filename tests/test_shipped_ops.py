"""The operators that keyslot ships: declarations, kernels and documents agree."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from keyslot import ops
from keyslot.runtime.schema import FunctionSchema, parse_schema

ROOT = Path(__file__).parent.parent
#: Where the configuration says that bare names are looked up.
MODULES = {"NumPy": "keyslot.kernels.numpy"}
COMPOSITE = "keyslot.kernels.composite"


def declarations() -> Iterator[dict[str, Any]]:
    """Yield the entries of all shipped operators."""
    for path in sorted((ROOT / "schemas" / "ops").glob("*.yaml")):
        yield from yaml.safe_load(path.read_text("utf-8"))


SHIPPED = {parse_schema(entry["func"]): entry for entry in declarations()}


def own_kernels() -> Iterator[tuple[FunctionSchema, str]]:
    """Yield the kernels of ours, with the schema of the overload each is for."""
    for schema, entry in SHIPPED.items():
        dispatch = entry.get("dispatch", {"CompositeImplicitAutograd": schema.name})
        for key, name in dispatch.items():
            if ":" not in name:
                yield schema, f"{MODULES.get(key, COMPOSITE)}:{name}"


def qualified(schema: FunctionSchema) -> str:
    """Return the name of an overload, for the identifiers of tests."""
    return schema.qualified


@pytest.mark.parametrize("schema", SHIPPED, ids=qualified)
def test_overload_is_generated(schema: FunctionSchema) -> None:
    """Each declared overload is there, as an attribute of its packet."""
    overload = getattr(getattr(ops, schema.name), schema.overload_name)
    assert overload.__doc__


@pytest.mark.parametrize("schema", SHIPPED, ids=qualified)
def test_examples_in_declarations_are_true(schema: FunctionSchema) -> None:
    """Each operator is documented by an example at least, which gives what it says."""
    names = {"np": np, "ops": ops}
    doc = SHIPPED[schema]["doc"]
    test = doctest.DocTestParser().get_doctest(doc, names, schema.qualified, None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize(("schema", "reference"), [*own_kernels()])
def test_kernel_takes_the_arguments_of_its_schema(
    schema: FunctionSchema, reference: str
) -> None:
    """Names, order and defaults are the schema's; keyword-only ones go by name."""
    module, _, name = reference.partition(":")
    kernel = getattr(import_module(module), name)
    parameters = list(signature(kernel).parameters.values())
    assert [p.name for p in parameters] == [arg.name for arg in schema.arguments]
    for parameter, argument in zip(parameters, schema.arguments, strict=True):
        if not argument.keyword_only:
            assert parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        default = argument.default if argument.has_default else Parameter.empty
        assert parameter.default is default or parameter.default == default


@pytest.mark.parametrize("package", [*MODULES.values(), COMPOSITE])
def test_every_kernel_is_used(package: str) -> None:
    """A kernel that no declaration names is dead code."""
    named = {reference for _, reference in own_kernels()}
    public = import_module(package).__all__
    assert sorted(public) == public
    used = {name for name in named if name.startswith(f"{package}:")}
    assert {f"{package}:{name}" for name in public} == used


def test_document_lists_the_shipped_overloads() -> None:
    """The tables of docs/ops.md name each overload once, and no others."""
    lines = (ROOT / "docs" / "ops.md").read_text("utf-8").splitlines()
    cells = [line.split("|")[2] for line in lines if line.startswith("| ")]
    text = re.sub(r"\([^)]*\)", "", " ".join(cells))
    listed = re.findall(r"`([\w.]+)`", text)
    assert sorted(listed) == sorted(map(qualified, SHIPPED))
