"""Functions of sizes that Python's own would fix to the example."""

from __future__ import annotations

from typing import Any

from .expression import Expression, apply, combine, hint_of
from .sym_bool import SymBool, negation


def sym_max(a: Any, b: Any) -> Any:
    """Return the greater of two numbers, symbolic ones too, without asking which."""
    return _choose("max", a, b)


def sym_min(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, symbolic ones too, without asking which."""
    return _choose("min", a, b)


def sym_float(a: Any) -> Any:
    """Return a number as a float, symbolic if the number is."""
    if not isinstance(a, Expression):
        return float(a)
    return a if type(a.hint) is float else apply(a.env, "float", a)


def sym_not(a: SymBool | bool) -> SymBool | bool:
    """Return whether something is not true, symbolic if that is."""
    return negation(a) if isinstance(a, SymBool) else not a


def _choose(operation: str, a: Any, b: Any) -> Any:
    symbolic = [each for each in (a, b) if isinstance(each, Expression)]
    if not symbolic:
        return max(a, b) if operation == "max" else min(a, b)
    if float in (type(hint_of(a)), type(hint_of(b))):
        # The type of the result must not depend on the sizes.
        a, b = sym_float(a), sym_float(b)
    return combine(symbolic[0].env, operation, a, b)
