"""What must agree between the parts of a schema: alias marks, in-place names, outputs.

The rules are those of torchgen where it has them (``FunctionSchema`` and its
``__post_init__``); PyTorch's runtime leaves most of them unchecked.
"""

from __future__ import annotations

from dataclasses import dataclass

from .schema_lexer import Tokens, quoted
from .schema_model import AliasSet, Argument, FunctionSchema, Return
from .schema_types import is_writable

_WRITE = AliasSet(("a",), is_write=True)


@dataclass(slots=True)
class _Owner:
    """The arguments that have one alias, as far as results ask about them."""

    first: Argument
    written: bool = False
    returnable: bool = False


def check_schema(
    schema: FunctionSchema,
    tokens: Tokens,
    argument_starts: list[int],
    result_starts: list[int],
) -> None:
    """Refuse a schema whose parts contradict each other.

    The starts are the indices of the tokens at which arguments and results begin.
    """
    if any(result.marks for result in schema.returns):
        owners = _owners(schema)
        for result, start in zip(schema.returns, result_starts, strict=True):
            _check_result(result, owners, tokens, start)
    if schema.is_inplace:
        _check_inplace(schema, tokens, argument_starts, result_starts)
    if schema.returns and schema.is_out:
        _check_out(schema, tokens, result_starts[0])


def _owners(schema: FunctionSchema) -> dict[str, _Owner]:
    """Return who has each alias, before or after the call."""
    owners: dict[str, _Owner] = {}
    first = schema.arguments[0] if schema.arguments else None
    for arg in schema.arguments:
        returnable = arg.keyword_only or arg is first or arg.name == "self"
        for mark in filter(None, arg.marks):
            for alias in (*mark.before, *mark.after):
                owner = owners.setdefault(alias, _Owner(arg))
                owner.returnable = owner.returnable or returnable
            if mark.is_write:
                for alias in mark.before:
                    owners[alias].written = True
    return owners


def _check_result(
    result: Return, owners: dict[str, _Owner], tokens: Tokens, start: int
) -> None:
    """Hold each alias mark of a result against the arguments that have the alias."""
    for mark in filter(None, result.marks):
        # Within a result only marks have brackets.
        start = tokens.items.index("(", start + 1)
        if mark.after:
            tokens.fail(
                f"{mark} marks a result, and only the alias of an argument can change",
                start,
            )
        if mark.is_wildcard:
            continue
        known = [owners[alias] for alias in mark.before if alias in owners]
        problem = _why_not_shared(mark, known)
        if problem is not None:
            tokens.fail(problem, start)


def _why_not_shared(mark: AliasSet, owners: list[_Owner]) -> str | None:
    # Of several aliases one is enough: PyTorch's (b|a) is "a, or memory of its own".
    if not owners:
        return (
            f"no argument has the alias {' or '.join(mark.before)}: give {mark} to the "
            "argument whose memory is returned, or take the mark away"
        )
    owner = owners[0]
    name = quoted(owner.first.name)
    if mark.is_write and not owner.written:
        return (
            f"{mark} is written to, and argument {name} is not: write {mark} there too"
        )
    if not mark.is_write and owner.written:
        right = AliasSet(mark.before, is_write=True)
        return f"{mark} is not written to, and argument {name} is: write {right}"
    if mark.is_write and not owner.returnable:
        return (
            f"{mark} is the mark of {name}, which is neither self nor keyword-only: "
            f"put '*' before argument {name}"
        )
    return None


def _check_inplace(
    schema: FunctionSchema,
    tokens: Tokens,
    argument_starts: list[int],
    result_starts: list[int],
) -> None:
    """Hold a name such as ``add_`` to what it says: ``self`` is written to."""
    name = quoted(schema.name)
    if not schema.positional:
        tokens.fail(
            f"{name} names an in-place operator, and there is no self to change",
            2 if schema.namespace else 0,
        )
    names = [arg.name for arg in schema.arguments]
    place = names.index("self") if "self" in names else 0
    owner = schema.arguments[place]
    if not owner.is_write:
        right = "Tensor(a!) self"
        if is_writable(owner.type.base):
            right = str(Argument(owner.name, owner.type, (_WRITE,)))
        tokens.fail(
            f"{name} names an in-place operator, and its {quoted(owner.name)} is not "
            f"written to: write {right}",
            argument_starts[place],
        )
    if schema.returns and [ret.marks for ret in schema.returns] != [owner.marks]:
        result = Return(None, owner.type, owner.marks)
        tokens.fail(
            f"{name} names an in-place operator, which returns its "
            f"{quoted(owner.name)} or nothing: write {result} or ()",
            result_starts[0],
        )


def _check_out(schema: FunctionSchema, tokens: Tokens, start: int) -> None:
    """Hold an out variant to returning what it has written, for calls in a chain."""
    # torchgen's name for memory that the operator only works in.
    outs = [arg for arg in schema.out if not arg.name.startswith("_scratch_")]
    if [ret.marks for ret in schema.returns] == [arg.marks for arg in outs]:
        return
    results = ", ".join(str(Return(None, arg.type, arg.marks)) for arg in outs)
    tokens.fail(
        "an operator with out arguments returns these in their order, or nothing: "
        f"write {results if len(outs) == 1 else f'({results})'} or ()",
        start,
    )
