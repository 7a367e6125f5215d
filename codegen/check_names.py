"""Rules about names: doubled, reserved, or not writable in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from keyword import iskeyword

from ..runtime.schema import FunctionSchema
from .checking import Checking
from .model import Declaration
from .problems import where
from .reserved import OVERLOADS, class_name, is_reserved


def check_names(
    declarations: Sequence[Declaration], checking: Checking
) -> list[Declaration]:
    """Report bad names; return the declarations without those declared before."""
    unique: dict[str, Declaration] = {}
    classes: dict[str, Declaration] = {}
    for declaration in declarations:
        schema = declaration.schema
        for message in why_not_named(schema):
            checking.add(declaration, "func", message)
        first = unique.setdefault(schema.qualified, declaration)
        if first is not declaration:
            checking.add(declaration, "func", _doubled(declaration, first))
            continue
        same = classes.setdefault(class_name(schema), declaration)
        if same is not declaration:
            checking.add(declaration, "func", _same_class(declaration, same))
    return list(unique.values())


def why_not_named(schema: FunctionSchema) -> Iterator[str]:
    """Yield what is wrong with the names of a function."""
    if iskeyword(schema.name):
        yield f"{schema.name!r} is a keyword of Python and cannot be called"
    elif is_reserved(schema.name):
        yield f"{schema.name!r} is a reserved name: generated modules use it themselves"
    if schema.overload in OVERLOADS:
        yield f"{schema.overload!r} is a reserved name: every packet has it already"


def describe_difference(new: FunctionSchema, old: FunctionSchema) -> str:
    """Return how two schemas differ, argument by argument; empty if they do not.

    Example:
        ``"here 'Tensor(a) self', there 'Tensor self'; 'int n' is only here"``
    """
    ours, theirs = _arguments(new), _arguments(old)
    found = [_differs(text, theirs.get(name)) for name, text in ours.items()]
    lacking = (text for name, text in theirs.items() if name not in ours)
    found.extend(f"{text!r} is only there" for text in lacking)
    if list(ours) != list(theirs) and ours.keys() == theirs.keys():
        found.append(f"the order here is {', '.join(ours)}, there {', '.join(theirs)}")
    found.append(_differs(_results(new), _results(old)))
    return "; ".join(filter(None, found))


def _arguments(schema: FunctionSchema) -> dict[str, str]:
    return {
        arg.name: f"*, {arg}" if arg.keyword_only else str(arg)
        for arg in schema.arguments
    }


def _results(schema: FunctionSchema) -> str:
    return f"-> {', '.join(map(str, schema.returns)) or '()'}"


def _differs(here: str, there: str | None) -> str:
    if there is None:
        return f"{here!r} is only here"
    return "" if here == there else f"here {here!r}, there {there!r}"


def _doubled(declaration: Declaration, first: Declaration) -> str:
    difference = describe_difference(declaration.schema, first.schema)
    how = difference or "the schemas are the same"
    name = declaration.schema.qualified
    return f"{name} is declared twice, first at {where(first.place)}; {how}"


def _same_class(declaration: Declaration, other: Declaration) -> str:
    name = class_name(declaration.schema)
    return (
        f"{declaration.schema.qualified} and {other.schema.qualified}, at"
        f" {where(other.place)}, would both be the class {name}"
    )
