"""Signatures in pieces, each with what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ...codegen.literals import literal
from ...runtime.schema import Argument, FunctionSchema
from .highlight import Token

#: The style sheet lets lines end here.
_COMMA: Final = Token("comma", ", ")


def call_tokens(schema: FunctionSchema) -> Iterator[Token]:
    """Yield the pieces of the signature that Python sees: ``add(self, *, alpha=1)``."""
    yield from _tokens(schema.name, schema, _parameter_tokens)


def schema_tokens(schema: FunctionSchema) -> Iterator[Token]:
    """Yield the pieces of a schema; joined they are its text."""
    yield from _tokens(schema.qualified, schema, _argument_tokens)
    single = len(schema.returns) == 1
    yield Token("", " -> " if single else " -> (")
    for place, result in enumerate(schema.returns):
        if place:
            yield _COMMA
        yield Token("type", str(result))
    if not single:
        yield Token("", ")")


def _tokens(
    name: str,
    schema: FunctionSchema,
    write: Callable[[Argument], Iterator[Token]],
) -> Iterator[Token]:
    yield Token("function", name)
    yield Token("", "(")
    for place, argument in enumerate(schema.arguments):
        if place:
            yield _COMMA
        if argument in schema.keyword_only[:1]:
            yield Token("", "*")
            yield _COMMA
        yield from write(argument)
    yield Token("", ")")


def _parameter_tokens(argument: Argument) -> Iterator[Token]:
    yield Token("parameter", argument.name)
    if argument.has_default:
        yield Token("", "=")
        yield Token("default", literal(argument.default))


def _argument_tokens(argument: Argument) -> Iterator[Token]:
    default = argument.default_text
    text = str(argument)
    if default is not None:
        text = text.removesuffix(f"={default}")
    yield Token("type", text.removesuffix(f" {argument.name}"))
    yield Token("", " ")
    yield Token("parameter", argument.name)
    if default is not None:
        yield Token("", "=")
        yield Token("default", default)
