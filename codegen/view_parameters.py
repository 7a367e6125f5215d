"""How the function of an operator takes arguments, whichever overload is meant.

Python's rules for parameters are stricter than those for a set of overloads. A name is
positional if it stands at the same place in every overload, else it is keyword-only and
the packet sorts out what is given by position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..runtime.schema import Argument, FunctionSchema
from .literals import literal

#: Stands for an argument that is not given, where None would mean something.
MISSING: Final = "MISSING"
#: Stands for an `out` argument that is not given.
NONE: Final = "None"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the function. ``absent`` is its value when it is not given."""

    name: str
    positional: bool
    default: str | None
    absent: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """Overloads that take arguments of the same names."""

    names: frozenset[str]
    schemas: tuple[FunctionSchema, ...]

    def defaults(self, name: str) -> set[str | None]:
        """Return the defaults of an argument, None among them where it is required."""
        return {_default(schema, name) for schema in self.schemas}


def groups_of(schemas: Sequence[FunctionSchema]) -> list[Group]:
    """Return the groups, those with fewer arguments first, then as declared."""
    found: dict[frozenset[str], list[FunctionSchema]] = {}
    for schema in schemas:
        names = frozenset(arg.name for arg in schema.arguments)
        found.setdefault(names, []).append(schema)
    groups = [Group(names, tuple(members)) for names, members in found.items()]
    return sorted(groups, key=lambda group: len(group.names))


def parameters_of(
    schemas: Sequence[FunctionSchema], groups: Sequence[Group]
) -> list[Parameter]:
    """Return the parameters of a function that takes what all overloads take."""
    prefix = _common_prefix(schemas)
    parameters: list[Parameter] = []
    after_default = False
    for name in _in_order(schemas, prefix):
        positional = name in prefix
        default, absent = _packet_default(name, schemas, groups)
        # Python wants a default after another one, and for what may come by position
        # although it is keyword-only here.
        by_position = any(_place(schema, name) is not None for schema in schemas)
        if default is None and (after_default if positional else by_position):
            default = absent = MISSING
        parameters.append(Parameter(name, positional, default, absent))
        after_default = after_default or default is not None
    return parameters


def _common_prefix(schemas: Sequence[FunctionSchema]) -> list[str]:
    """Return the names that stand at the same place wherever they are positional."""
    keyword_only = {arg.name for schema in schemas for arg in schema.keyword_only}
    prefix: list[str] = []
    for place in range(max(len(schema.positional) for schema in schemas)):
        reaching = (s.positional for s in schemas if len(s.positional) > place)
        names = {arguments[place].name for arguments in reaching}
        if len(names) > 1 or names & keyword_only or names & set(prefix):
            break
        prefix.extend(names)
    # A name further on may be at another place in another overload.
    for place, name in enumerate(prefix):
        if any(_place(schema, name) not in (None, place) for schema in schemas):
            return prefix[:place]
    return prefix


def _place(schema: FunctionSchema, name: str) -> int | None:
    names = [arg.name for arg in schema.positional]
    return names.index(name) if name in names else None


def _in_order(schemas: Sequence[FunctionSchema], prefix: Sequence[str]) -> list[str]:
    """Return all names: positional ones, others as they appear, ``out`` ones last."""
    appearing = dict.fromkeys(arg.name for s in schemas for arg in s.arguments)
    out = {arg.name for schema in schemas for arg in schema.out}
    others = [name for name in appearing if name not in prefix]
    return [*prefix, *sorted(others, key=lambda name: name in out)]


def _packet_default(
    name: str, schemas: Sequence[FunctionSchema], groups: Sequence[Group]
) -> tuple[str | None, str | None]:
    """Return the default of a parameter, and the value that means it is not given."""
    holders = [schema for schema in schemas if _argument(schema, name) is not None]
    defaults = {_default(schema, name) for schema in holders}
    if all(name in group.names for group in groups) and len(defaults) == 1:
        return defaults.pop(), None
    if all(name in [arg.name for arg in schema.out] for schema in holders):
        return NONE, NONE
    return MISSING, MISSING


def _argument(schema: FunctionSchema, name: str) -> Argument | None:
    return next((arg for arg in schema.arguments if arg.name == name), None)


def _default(schema: FunctionSchema, name: str) -> str | None:
    argument = _argument(schema, name)
    if argument is None or not argument.has_default:
        return None
    return literal(argument.default)


def needs_rest(
    schemas: Sequence[FunctionSchema], parameters: Sequence[Parameter]
) -> bool:
    """Whether an argument that is keyword-only here is positional in an overload."""
    keyword_only = {param.name for param in parameters if not param.positional}
    return any(arg.name in keyword_only for s in schemas for arg in s.positional)


def signature(parameters: Sequence[Parameter], rest: str | None) -> list[str]:
    """Return the parameters as source; ``rest`` takes further positional arguments."""
    positional = [_declare(param) for param in parameters if param.positional]
    keyword_only = [_declare(param) for param in parameters if not param.positional]
    star = [f"*{rest}: object"] if rest else ["*"] if keyword_only else []
    return [*positional, *star, *keyword_only]


def _declare(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" = {parameter.default}"
    return f"{parameter.name}: object{default}"
