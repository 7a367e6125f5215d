"""The operators that keyslot ships: declarations, kernels and documents agree."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from inspect import Parameter, signature
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from keyslot import check_kernels, errors, ops
from keyslot.runtime.schema import FunctionSchema, parse_schema

from .ops_document import table
from .oracle.op_cases import CASES

ROOT = Path(__file__).parent.parent
#: Where the configuration says that bare names are looked up.
MODULES = {"NumPy": "keyslot.kernels.numpy"}
COMPOSITE = "keyslot.kernels.composite"
#: Their result may be an argument, or a view of it, which PyTorch's schemas do not say.
SILENT = ("einsum", "type_as")


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
    """What an operator computes is shown by an example, which gives what it says.

    In-place and ``out=`` overloads may leave their text to what they are companions of.
    """
    doc = SHIPPED[schema].get("doc")
    if doc is None:
        assert schema.is_out or schema.is_inplace
        return
    names = {"np": np, "ops": ops}
    test = doctest.DocTestParser().get_doctest(doc, names, schema.qualified, None, 0)
    assert test.examples or schema.is_out or schema.is_inplace
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize(("schema", "reference"), [*own_kernels()])
def test_kernel_takes_the_arguments_of_its_schema(
    schema: FunctionSchema, reference: str
) -> None:
    """Names, order and defaults are the schema's; keyword-only ones go by name.

    A kernel that operators share takes by position alone what they name differently.
    """
    module, _, name = reference.partition(":")
    kernel = attrgetter(name)(import_module(module))
    parameters = list(signature(kernel).parameters.values())
    assert len(parameters) == len(schema.arguments)
    for parameter, argument in zip(parameters, schema.arguments, strict=True):
        if argument.keyword_only or parameter.kind is not Parameter.POSITIONAL_ONLY:
            assert parameter.name == argument.name
            assert (
                argument.keyword_only
                or parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
            )
        default: Any = argument.default if argument.has_default else Parameter.empty
        if default == []:
            default = ()  # what is in a signature cannot be changed
        assert parameter.default is default or parameter.default == default


def test_document_lists_the_shipped_operators() -> None:
    """The table of docs/ops.md names each operator once, those with a twin for both."""
    rows = [names for _, *names in table("family")]
    pairs, single = (
        re.findall(r"`(\w+)`", " ".join(c)) for c in zip(*rows, strict=True)
    )
    listed = [*pairs, *(f"{name}_" for name in pairs), *single]
    assert sorted(listed) == sorted(name for name in dir(ops) if is_operator(name))


def test_document_says_how_many_are_shipped() -> None:
    """Overloads, operators, and overloads that are derived are counted."""
    packets = [getattr(ops, name) for name in dir(ops) if is_operator(name)]
    overloads = [getattr(p, name) for p in packets for name in p.overloads()]
    derived = [overload for overload in overloads if overload.derived_from]
    text = (ROOT / "docs" / "ops.md").read_text("utf-8")
    assert f"{len(overloads)} overloads of {len(packets)} operators" in text
    assert f"{len(derived)} are derived" in text


def is_operator(name: str) -> bool:
    """Whether an attribute of the generated package is an operator."""
    return hasattr(getattr(ops, name), "overloads")


@pytest.mark.parametrize(
    "code",
    re.findall(r"`(.+?)`", " ".join(here for _, here in table("PyTorch or NumPy"))),
)
def test_document_says_what_to_write_instead(code: str) -> None:
    """What docs/ops.md gives for names that are not there can be written so."""
    matrix = np.eye(3)
    names = {name: getattr(ops, name) for name in dir(ops)}
    arguments = {"x": matrix, "y": matrix, "w": matrix, "b": matrix[0], "dim": 1}
    numbers = {"size": [9], "n": 3, "index": np.array([0, 2]), "arrays": [matrix]}
    assert eval(code, {**names, **arguments, **numbers}) is not None


@pytest.mark.parametrize("name", sorted(CASES.keys() - SILENT))
def test_kernels_keep_to_their_schemas(name: str) -> None:
    """They write, share and return what is declared, in all calls that are compared."""
    packet, _, overload = name.partition(".")
    op = getattr(getattr(ops, packet), overload or "default")
    with check_kernels(), np.errstate(all="ignore"):
        for call in CASES[name]():
            op(*call.args, **call.kwargs)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_never_written_to(name: str) -> None:
    """A number stands for an array that is read, and for none that is written."""
    packet, _, overload = name.partition(".")
    op = getattr(getattr(ops, packet), overload or "default")
    call = next(iter(CASES[name]()))
    positional = zip(op.schema.positional, call.args, strict=False)
    given = {argument.name: value for argument, value in positional} | call.kwargs
    for argument in op.schema.arguments:
        if argument.is_write:
            with pytest.raises(errors.OverloadError) as caught:
                op(**given | {argument.name: 1.5})
            problem = f"argument {argument.name!r} is written to, which float cannot be"
            assert problem in str(caught.value)
