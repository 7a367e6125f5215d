"""Read one type with its alias marks: ``Tensor(a!)[]``, ``int[2]?``."""

from __future__ import annotations

from typing import Final, NoReturn

from .schema_lexer import Tokens, quoted
from .schema_literals import MAX_NESTING
from .schema_model import (
    WILDCARD,
    AliasSet,
    BaseType,
    ListType,
    Marks,
    OptionalType,
    Type,
)
from .schema_types import BASE_TYPES, CLASS_PREFIX, SIZED, is_writable, why_unknown

_MAX_SIZE: Final = 1_000_000
_SIZED: Final = " and ".join([", ".join(SIZED[:-1]), SIZED[-1]])


# type ::= base [ mark ] { "?" | list [ mark ] }
def take_type(tokens: Tokens) -> tuple[Type, Marks]:
    """Read a type; return it and its alias marks, from the innermost outwards."""
    type: Type = _base(tokens)
    marks: list[AliasSet | None] = [None]
    while True:
        token = tokens.peek
        if token == "(":
            if marks[-1] is not None:
                tokens.fail("a second alias mark here: write one, such as (a|b)")
            marks[-1] = _mark(tokens, type)
            continue
        if token == "?":
            type = _optional(tokens, type)
        elif token == "[":
            type = _list(tokens, type)
        else:
            break
        marks.append(None)
        if len(marks) > MAX_NESTING + 1:
            tokens.fail(
                f"'?' and '[]' may be nested {MAX_NESTING} deep, not deeper",
                tokens.at - 1,
            )
    while marks and marks[-1] is None:
        del marks[-1]
    return type, tuple(marks)


# base ::= name | "__torch__" "." name { "." name }
def _base(tokens: Tokens) -> BaseType:
    start = tokens.at
    known = BASE_TYPES.get(tokens.peek)
    if known is not None:
        tokens.at += 1
        return known
    if tokens.peek == "...":
        tokens.fail("'...' is for TorchScript: an operator has a fixed list of types")
    if tokens.peek == "(":
        tokens.fail("'(' starts no type: an operator takes and returns no tuples")
    name = tokens.word("a type such as Tensor or int")
    if name != CLASS_PREFIX:
        _refuse_unknown(tokens, name, start)
    if tokens.peek != ".":
        tokens.unexpected("'.' and the name of a class after __torch__")
    while tokens.accept("."):
        tokens.word("a part of the name of a class after '.'")
    return BaseType("".join(tokens.items[start : tokens.at]))


def _refuse_unknown(tokens: Tokens, name: str, index: int) -> NoReturn:
    if tokens.peek == ":":
        tokens.fail(f"the type stands before the name: write Tensor {name}", index)
    tokens.fail(why_unknown(name, alone=tokens.peek in (",", ")", "=")), index)


def _optional(tokens: Tokens, element: Type) -> OptionalType:
    if isinstance(element, OptionalType):
        tokens.fail("a second '?': an optional is optional once")
    tokens.at += 1
    if tokens.peek == "(":
        tokens.fail("an alias mark after '?': write it before, as in Tensor(a!)?")
    return OptionalType(element)


# list ::= "[" [ size ] "]"
def _list(tokens: Tokens, element: Type) -> ListType:
    tokens.at += 1
    if tokens.accept("]"):
        return ListType(element)
    size = tokens.peek
    if not (size.isascii() and size.isdigit()):
        tokens.unexpected("']' or the size of the list")
    if size[0] == "0" or len(size) > 7 or int(size) > _MAX_SIZE:
        tokens.fail(f"the size of a list is 1 to {_MAX_SIZE:,}, not {quoted(size)}")
    if str(element) not in SIZED:
        tokens.fail(f"only lists of {_SIZED} have a size: write {element}[]")
    tokens.at += 1
    tokens.expect("]", "after the size of the list")
    return ListType(element, int(size))


# mark ::= "(" set [ "!" ] [ "->" set ] ")"
def _mark(tokens: Tokens, type: Type) -> AliasSet:
    tokens.at += 1
    before = _alias_set(tokens)
    is_write = tokens.accept("!")
    if is_write:
        if before == (WILDCARD,):
            tokens.fail(
                "'*' cannot be written to: name the alias, as in (a!)", tokens.at - 1
            )
        if not is_writable(type):
            tokens.fail(
                f"{type} cannot be written to: take the '!' away", tokens.at - 1
            )
    after = _alias_set(tokens) if tokens.accept("->") else ()
    if tokens.peek == "|":
        tokens.fail("'!' stands after the last alias, as in (a|b!)", tokens.at - 1)
    tokens.expect(")", "to close the alias mark")
    return AliasSet(before, is_write, after)


# set ::= "*" | name { "|" name }
def _alias_set(tokens: Tokens) -> tuple[str, ...]:
    if tokens.accept(WILDCARD):
        return (WILDCARD,)
    names: dict[str, None] = {}
    while True:
        name = tokens.word("the name of an alias or '*'")
        if name in names:
            tokens.fail(f"alias {quoted(name)} stands twice in one mark", tokens.at - 1)
        names[name] = None
        if not tokens.accept("|"):
            return tuple(names)
