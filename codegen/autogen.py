"""Derive the functions that entries ask for with ``autogen:``.

An in-place, mutable or functional schema gives an ``out=`` schema, and an in-place or
mutable one gives a functional schema. What may be derived follows from the schema; the
field says that it is wanted. The rules are those of PyTorch's generator
(``torchgen/native_function_generation.py``), and a test holds both expansions against
each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from string import ascii_lowercase
from typing import Final

from ..runtime.companions import derived_functional_name, pure_arguments
from ..runtime.schema import AliasSet, Argument, BaseType, FunctionSchema, Return
from ..runtime.schema_kinds import (
    SchemaKind,
    functional_name,
    is_tensor_like,
    kind_of,
    out_overload_name,
)

_HAS_FUNCTIONAL: Final = (SchemaKind.INPLACE, SchemaKind.MUTABLE)


def derivable(schema: FunctionSchema) -> Iterator[FunctionSchema]:
    """Yield the schemas that ``autogen`` can derive from one."""
    kind = kind_of(schema)
    if kind in _HAS_FUNCTIONAL:
        yield functional_schema(schema)
    if kind is SchemaKind.INPLACE:
        yield _out_of_inplace(schema)
    elif kind is SchemaKind.FUNCTIONAL and _returns_tensors(schema):
        yield _out_of_functional(schema)
    elif kind is SchemaKind.MUTABLE and _returns_tensors(schema):
        yield _out_of_mutable(schema)


def functional_schema(schema: FunctionSchema) -> FunctionSchema:
    """Return the schema with every changed argument handed back as a result."""
    changed = tuple(
        Return(f"{arg.name}_out", arg.type)
        for arg in _self_first(schema)
        if arg.is_write and not any(arg.alias == ret.alias for ret in schema.returns)
    )
    return FunctionSchema(
        schema.namespace,
        derived_functional_name(schema),
        schema.overload,
        pure_arguments(schema),
        tuple(Return(ret.name, ret.type) for ret in schema.returns) + changed,
    )


def _out_of_inplace(schema: FunctionSchema) -> FunctionSchema:
    """``add_(Tensor(a!) self) -> Tensor(a!)`` writes to ``out`` instead of ``self``."""
    owner = next(arg for arg in schema.arguments if arg.name == "self")
    out = Argument("out", owner.type, owner.marks, keyword_only=True)
    kept = (replace(a, marks=()) if a is owner else a for a in schema.arguments)
    return _with_out(schema, (*kept, out), schema.returns)


def _out_of_functional(schema: FunctionSchema) -> FunctionSchema:
    returns, out = _out_arguments(schema)
    return _with_out(schema, pure_arguments(schema) + out, returns)


def _out_of_mutable(schema: FunctionSchema) -> FunctionSchema:
    returns, out = _out_arguments(schema)
    return _with_out(schema, schema.arguments + out, returns)


def _with_out(
    schema: FunctionSchema,
    arguments: tuple[Argument, ...],
    returns: tuple[Return, ...],
) -> FunctionSchema:
    overload = out_overload_name(schema.overload)
    name = functional_name(schema)
    return FunctionSchema(schema.namespace, name, overload, arguments, returns)


def _out_arguments(
    schema: FunctionSchema,
) -> tuple[tuple[Return, ...], tuple[Argument, ...]]:
    """Return the results of the ``out=`` function, and its ``out`` arguments.

    Only a function that returns plain tensors and nothing else hands ``out`` back.
    """
    marks = [mark for arg in schema.arguments for mark in arg.marks if mark]
    used = {name for mark in marks for name in mark.before}
    free = [letter for letter in ascii_lowercase if letter not in used]
    plain = all(ret.type == BaseType("Tensor") for ret in schema.returns)
    returns: list[Return] = []
    out: list[Argument] = []
    for place, ret in enumerate(schema.returns):
        if not is_tensor_like(ret.type):
            returns.append(ret)
            continue
        name = "out" if len(schema.returns) == 1 else f"out{place}"
        written = (AliasSet((free[place],), is_write=True),)
        out.append(Argument(name, ret.type, written, keyword_only=True))
        if plain:
            returns.append(Return(None, ret.type, written))
    return tuple(returns), tuple(out)


def _self_first(schema: FunctionSchema) -> list[Argument]:
    """Return the arguments in the order in which results are made of them."""
    rest = [arg for arg in schema.positional if arg.name != "self"]
    return [arg for arg in schema.arguments if arg.name == "self"] + rest


def _returns_tensors(schema: FunctionSchema) -> bool:
    return any(is_tensor_like(ret.type) for ret in schema.returns)
