"""Views of the operators as methods of arrays, Python's own operators among them.

An overload with the variant ``method`` is called on its argument ``self``. A method
takes what these overloads of its operator take, and calls the function of the operator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..runtime.schema import FunctionSchema
from .literals import docstring, string
from .model import Operators, Overload, Packet
from .python_operators import PythonOperator
from .reserved import ANNOTATIONS
from .view_annotations import Alternative, annotate, source
from .view_calls import free_name, hides_globals, is_mangled
from .view_parameters import (
    MISSING,
    NONE,
    Parameter,
    groups_of,
    needs_rest,
    parameters_of,
)
from .view_stubs import common_result, words_of_types

_SELF: Final = "self"
_SMALL: Final = 256
_ANYTHING: Final = Alternative("Array")


@dataclass(frozen=True, slots=True)
class MethodView:
    """One method, as pieces of source."""

    name: str
    #: The global name of the operator's function.
    function: str
    doc: str
    parameters: tuple[str, ...]
    #: What the function is called with.
    arguments: tuple[str, ...]
    returns: str
    #: Whether an operand that is no array and no number is left to Python.
    declines: bool = False


@dataclass(frozen=True, slots=True)
class MethodsView:
    """The module with the class of methods."""

    #: Global name -> operator.
    functions: tuple[tuple[str, str], ...]
    methods: tuple[MethodView, ...]
    #: What annotations and bodies use of what may be imported.
    used: frozenset[str]


def methods_view(operators: Operators, python: Sequence[PythonOperator]) -> MethodsView:
    """Return the view of the methods, in the order of their names."""
    special = [_special_method(each) for each in python]
    taken = {view.name for view in special}
    plain = [
        _method(packet, members)
        for packet in operators.packets
        if (members := methods_of(packet)) and packet.name not in taken
    ]
    ops = sorted({view.name for view in plain} | {each.op for each in python})
    return MethodsView(
        functions=tuple((_global_name(op), string(op)) for op in ops),
        methods=(*plain, *special),
        used=frozenset(_used((*plain, *special))),
    )


def methods_of(packet: Packet) -> list[Overload]:
    """Return the overloads of an operator that can be called as methods."""
    return [each for each in packet.overloads if "method" in each.variants]


def _method(packet: Packet, members: Sequence[Overload]) -> MethodView:
    schemas = [member.schema for member in members]
    parameters, arguments = _call(packet, schemas)
    function = _global_name(packet.name)
    return MethodView(
        name=packet.name,
        function=function,
        doc=docstring(_summary(packet.name, members)),
        parameters=parameters,
        arguments=arguments,
        returns=common_result(schemas),
    )


def _summary(name: str, members: Sequence[Overload]) -> str:
    plain_first = sorted(members, key=lambda made: bool(made.schema.overload))
    docs = (overload.doc.strip().partition("\n\n")[0] for overload in plain_first)
    return next(filter(None, docs), f"Call the operator {name}.")


def _call(
    packet: Packet, schemas: Sequence[FunctionSchema]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the parameters of a method, and the arguments of what it calls."""
    taken = parameters_of(schemas, groups_of(schemas))
    names = [param.name for param in taken]
    positional = [param for param in taken if param.positional]
    by_position, by_name = _arguments(packet, taken)
    takes_rest = needs_rest(schemas, taken)
    may_rest = all(map(_is_one_object, taken)) and len(by_position) == len(positional)
    hides = hides_globals(names) or _global_name(packet.name) in names
    if hides or (takes_rest and not may_rest):
        own = [_SELF] if names[0] == _SELF else [f"{_SELF}={_SELF}"]
        return (_SELF, "*args: Any", "**kwargs: Any"), (*own, "*args", "**kwargs")
    rest = free_name("rest", names)
    named = [param for param in taken if not param.positional]
    star = [f"*{rest}: Any"] if takes_rest else ["*"] if named else []
    # What else comes by position is for the function to sort out.
    passed_on = [f"*{rest}"] if takes_rest else []
    return (
        (_SELF, *_declare(positional, schemas), *star, *_declare(named, schemas)),
        (*by_position, *passed_on, *by_name),
    )


def _is_one_object(parameter: Parameter) -> bool:
    """Whether a default is the same object wherever it stands in source.

    A function that takes arguments in several forms knows by that which are not given.
    """
    default = parameter.default
    constants = (None, NONE, MISSING, "True", "False")
    # Python keeps one object for each small integer.
    return default in constants or (default.isdigit() and int(default) <= _SMALL)


def _arguments(
    packet: Packet, taken: Sequence[Parameter]
) -> tuple[list[str], list[str]]:
    """Return what a function is called with: by position as far as it can be."""
    schemas = [overload.schema for overload in packet.overloads]
    names = [param.name for param in taken if param.positional]
    leading: list[str] = []
    for param in parameters_of(schemas, groups_of(schemas)):
        if not param.positional or param.name not in names:
            break
        leading.append(param.name)
    others = [param.name for param in taken if param.name not in leading]
    return leading, [f"{name}={name}" for name in others]


def _declare(
    parameters: Iterable[Parameter], schemas: Sequence[FunctionSchema]
) -> list[str]:
    return [
        f"{param.name}: {_annotation(param.name, schemas)}"
        + ("" if param.default is None else f" = {param.default}")
        for param in parameters
        if param.name != _SELF
    ]


def _annotation(name: str, schemas: Sequence[FunctionSchema]) -> str:
    """Return the type of an argument that any of the schemas takes."""
    arguments = [arg for schema in schemas for arg in schema.arguments]
    types = [arg.type for arg in arguments if arg.name == name]
    alternatives = dict.fromkeys(each for type in types for each in annotate(type))
    return str(_ANYTHING) if _ANYTHING in alternatives else source(tuple(alternatives))


def _special_method(operator: PythonOperator) -> MethodView:
    named = [f"{name}={string(value)}" for name, value in operator.named]
    operands = [_SELF] if operator.is_unary else [_SELF, "other"]
    given = reversed(operands) if operator.swapped else operands
    return MethodView(
        name=operator.method,
        function=_global_name(operator.op),
        doc="",
        parameters=(_SELF,) if operator.is_unary else (_SELF, "other: object"),
        arguments=(*given, *named),
        returns="Any",
        declines=not operator.is_unary,
    )


def _global_name(op: str) -> str:
    """Return the name of an operator that means the same inside of a class."""
    return f"op{op}" if is_mangled(op) else op


def _used(methods: Iterable[MethodView]) -> Iterable[str]:
    for method in methods:
        yield from words_of_types(method.parameters, method.returns) & {
            *ANNOTATIONS,
            "Sequence",
        }
        if any(MISSING in parameter for parameter in method.parameters):
            yield MISSING
        if method.declines:
            yield "declined"
