"""Expressions as those of SymPy and back, for who wants them simplified or solved.

SymPy is imported by the functions here when they are called, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from importlib import import_module
from typing import Any, Final

from .expression import Expression, in_order
from .functions import sym_max, sym_min, sym_not
from .operations import FUNCTIONS, SYMBOL

#: Operations whose functions do the same with expressions of SymPy.
_SAME: Final = {"+", "-", "*", "/", "**", "neg", "%", "abs", "<", "<=", ">", ">="}
#: What SymPy calls the others that it has.
_CLASSES: Final = {
    "==": "Eq",
    "!=": "Ne",
    "and": "And",
    "or": "Or",
    "not": "Not",
    "max": "Max",
    "min": "Min",
}
#: How to compute with our expressions what SymPy's classes stand for.
_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "Add": FUNCTIONS["+"],
    "Mul": FUNCTIONS["*"],
    "Mod": FUNCTIONS["%"],
    "Abs": abs,
    "Max": sym_max,
    "Min": sym_min,
    "Equality": FUNCTIONS["=="],
    "Unequality": FUNCTIONS["!="],
    "StrictLessThan": FUNCTIONS["<"],
    "LessThan": FUNCTIONS["<="],
    "StrictGreaterThan": FUNCTIONS[">"],
    "GreaterThan": FUNCTIONS[">="],
    # Not `and`, which would ask.
    "And": FUNCTIONS["&"],
    "Or": FUNCTIONS["|"],
    "Not": sym_not,
}


class _NotOursError(Exception):
    """What SymPy found is nothing that expressions of sizes can be."""


def to_sympy(value: Any) -> Any:
    """Return an expression, or a number, as an expression of SymPy.

    Symbols are positive integers there by the same names. What SymPy has no word for,
    such as ``s0 & 1``, is a symbol named after what it is.
    """
    return _translated(value)[0]


def simplify(value: Any) -> Any:
    """Return an expression of integers as SymPy writes it shortest, or a condition.

    Anything else, and what SymPy makes into what is none, is returned as it is.
    """
    if not isinstance(value, Expression) or type(value.hint) is float:
        return value
    expression, symbols = _translated(value)
    originals = {symbol: each for each, symbol in symbols.items()}
    try:
        return _ours(_shortest(expression), originals)
    except _NotOursError:
        return value


def _shortest(expression: Any) -> Any:
    # sympy.simplify tries more, takes seconds for what looks simple, and raises errors
    # for some that has a maximum in it.
    if expression.is_Boolean:
        return expression
    sympy: Any = import_module("sympy")
    expanded = sympy.expand(expression)
    forms = (expression, expanded, sympy.factor_terms(expanded))
    return min(forms, key=sympy.count_ops)


def _translated(value: Any) -> tuple[Any, dict[Expression, Any]]:
    """Return an expression of SymPy, and what is a symbol in it."""
    sympy: Any = import_module("sympy")
    found: dict[Expression, Any] = {}
    symbols: dict[Expression, Any] = {}
    for each in in_order([value]):
        operands = [found.get(o, o) for o in each.operands]
        operation = each.operation
        if operation in _SAME:
            found[each] = FUNCTIONS[operation](*operands)
        elif operation in _CLASSES:
            found[each] = getattr(sympy, _CLASSES[operation])(*operands)
        elif operation == "//":
            found[each] = sympy.floor(sympy.sympify(operands[0]) / operands[1])
        else:
            is_size = operation == SYMBOL
            found[each] = symbols[each] = sympy.Symbol(
                str(each), integer=type(each.hint) is int, positive=is_size or None
            )
    return found.get(value, value), symbols


def _ours(simple: Any, originals: Mapping[Any, Any]) -> Any:
    """Return the expression of sizes that an expression of SymPy is."""
    if simple in originals:
        return originals[simple]
    kind = type(simple).__name__
    if kind in ("BooleanTrue", "BooleanFalse"):
        return bool(simple)
    if simple.is_Integer:
        return int(simple)
    if kind == "floor" or kind in ("Add", "Mul"):
        argument = simple.args[0] if kind == "floor" else simple
        # Of what is an integer a divisor is an exact one.
        over, under = argument.together().as_numer_denom()
        if kind == "floor" or under != 1:
            return _ours(over, originals) // _ours(under, originals)
    operands = [_ours(argument, originals) for argument in simple.args]
    if kind == "Pow" and type(operands[1]) is int and operands[1] >= 0:
        return operands[0] ** operands[1]
    if not operands or kind not in _FUNCTIONS:
        raise _NotOursError
    function = _FUNCTIONS[kind]
    return reduce(function, operands) if len(operands) > 1 else function(*operands)
