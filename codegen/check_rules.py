"""Rules for the derivatives and batching rules that an entry declares."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from ..runtime.schema import FunctionSchema
from ..runtime.schema_kinds import is_tensor_like
from .check_formulas import check_values, forward_values, known_values, results_of
from .checking import Checking, place_of
from .counting import counted
from .model import Declaration, Derivatives, Overload, at_derivative, in_derivatives
from .problems import unknown
from .rule_fields import OUTPUTS

#: What a forward derivative may be instead of a formula: the function is linear, or
#: works element by element, so that the formula follows from it.
FORWARD_WORDS: Final = ("auto_linear", "auto_element_wise")


def check_rules(overloads: Sequence[Overload], checking: Checking) -> None:
    """Report rules that name what the schema, or the package, does not have."""
    operators = {name for each in overloads for name in _names_of(each.schema)}
    for overload in overloads:
        if overload.derived_from is None:
            _check_declared(overload.declaration, operators, checking)


def _names_of(schema: FunctionSchema) -> tuple[str, str]:
    """Return the names of an overload: one without a name is ``default`` too."""
    return schema.qualified, f"{schema.name}.{schema.overload_name}"


def _check_declared(
    declaration: Declaration, operators: Set[str], checking: Checking
) -> None:
    if declaration.derivatives is not None:
        _check_derivatives(declaration, declaration.derivatives, checking)
    arguments = [argument.name for argument in declaration.schema.arguments]
    batching = declaration.batching
    for parameter in batching.parameters if batching else ():
        if parameter not in (*arguments, *operators, *checking.left_out):
            # Whoever names an argument and errs means one of few, an operator of many.
            known = sorted(operators) if "." in parameter else arguments
            message = unknown("argument or operator", parameter, known)
            checking.add(declaration, "batching", message)


def _check_derivatives(
    declaration: Declaration, derivatives: Derivatives, checking: Checking
) -> None:
    schema = declaration.schema
    arrays, results = arrays_of(schema), results_of(schema)
    for key, text in derivatives.formulas.items():
        names = key.split(", ")
        is_forward = all(name in results for name in names)
        known = results if is_forward else arrays
        for name in names:
            place = in_derivatives(name)
            if name in arrays and name in results:
                message = f"{name!r} is an argument and a result: rename one of them"
                checking.add(declaration, place, message)
            elif name not in (*arrays, *results):
                allowed = (*arrays, *results)
                message = unknown("array or result", name, allowed)
                checking.add(declaration, place, message)
            elif name not in known:
                message = f"{name!r} is a result: its formula stands apart"
                checking.add(declaration, place, message)
        if is_forward and text in FORWARD_WORDS:
            continue
        values = forward_values(schema) if is_forward else known_values(schema)
        node = place_of(declaration, at_derivative(key))
        check_values(node, text, values, checking)
    flags, returns = derivatives.output_differentiability, len(schema.returns)
    if flags and len(flags) != returns:
        message = f"it says so of {counted(len(flags), 'result')}, there are {returns}"
        checking.add(declaration, in_derivatives(OUTPUTS), message)


def arrays_of(schema: FunctionSchema) -> list[str]:
    """Return the arguments that may have a gradient; what ``out=`` gives has none."""
    return [
        argument.name
        for argument in schema.arguments
        if is_tensor_like(argument.type)
        and not (argument.keyword_only and argument.is_write)
    ]
