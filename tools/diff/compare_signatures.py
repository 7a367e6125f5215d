"""Compare two signatures of one overload, argument by argument."""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.schema import Argument, FunctionSchema
from .changes import Change


def signature_changes(old: FunctionSchema, new: FunctionSchema) -> Iterator[Change]:
    """Yield what is different about a signature, arguments in their order.

    An argument is the same one where its name is, or where one of another name stands
    in its place and nothing else about it is different.
    """
    renamed = dict(_renamed(old, new))
    before = {renamed.get(arg.name, arg.name): arg for arg in old.arguments}
    after = {arg.name: arg for arg in new.arguments}
    for arg in old.arguments:
        if arg.name in renamed:
            yield Change("name of argument", arg.name, renamed[arg.name])
        elif arg.name not in after:
            yield Change(f"argument {arg.name}", str(arg), None)
    for name, arg in after.items():
        if name not in before:
            yield Change(f"argument {name}", None, str(arg))
        else:
            yield from _argument_changes(before[name], arg)
    yield from _order(list(before), list(after))
    if old.returns != new.returns:
        yield Change("returns", _returns(old), _returns(new))


def _renamed(old: FunctionSchema, new: FunctionSchema) -> Iterator[tuple[str, str]]:
    kept = {arg.name for arg in old.arguments} & {arg.name for arg in new.arguments}
    for before, after in zip(old.arguments, new.arguments, strict=False):
        differs = any(_argument_changes(before, after))
        if kept.isdisjoint((before.name, after.name)) and not differs:
            yield before.name, after.name


def _argument_changes(old: Argument, new: Argument) -> Iterator[Change]:
    facts = (
        ("type of", str(old.type), str(new.type)),
        ("alias of", _alias(old), _alias(new)),
        ("default of", old.default_text, new.default_text),
        ("place of", _place(old), _place(new)),
    )
    for aspect, before, after in facts:
        if before != after:
            yield Change(f"{aspect} {new.name}", before, after)


def _alias(argument: Argument) -> str | None:
    return "".join(str(mark) for mark in argument.marks if mark is not None) or None


def _place(argument: Argument) -> str:
    return "keyword-only" if argument.keyword_only else "positional"


def _order(old: list[str], new: list[str]) -> Iterator[Change]:
    """Yield the order of the arguments that both have, if it is another."""
    before = [name for name in old if name in new]
    after = [name for name in new if name in old]
    if before != after:
        yield Change("order", ", ".join(before), ", ".join(after))


def _returns(schema: FunctionSchema) -> str:
    return f"({', '.join(map(str, schema.returns))})"
