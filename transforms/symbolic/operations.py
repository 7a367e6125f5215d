"""The operations that symbolic expressions are made of, as a table.

Each has a name, which is also how Python writes it, a function that computes it, and a
number that says how tightly its sign binds where an expression is printed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, NamedTuple

#: How tightly a name, a number or a call binds: no parentheses are ever needed.
ATOMIC: Final = 100


class Operation(NamedTuple):
    """How an operation is computed and written."""

    function: Callable[..., Any]
    #: How tightly the sign binds, `ATOMIC` for a call such as ``max(a, b)``.
    precedence: int


#: Typeshed leaves open what some of these take.
_python: Final[Any] = operator


def _either(a: bool, b: bool) -> bool:
    return a or b


def _both(a: bool, b: bool) -> bool:
    return a and b


#: The symbols themselves, which are made of nothing.
SYMBOL: Final = "symbol"

#: Comparisons by their signs, each with the one that is true when it is not.
NEGATIONS: Final = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}

#: Python's own precedence, from ``or`` upwards. Comparisons never stand side by side.
OPERATIONS: Final = {
    "or": Operation(_either, 1),
    "and": Operation(_both, 2),
    "not": Operation(_python.not_, 3),
    "==": Operation(_python.eq, 4),
    "!=": Operation(_python.ne, 4),
    "<": Operation(_python.lt, 4),
    "<=": Operation(_python.le, 4),
    ">": Operation(_python.gt, 4),
    ">=": Operation(_python.ge, 4),
    "|": Operation(_python.or_, 5),
    "^": Operation(_python.xor, 6),
    "&": Operation(_python.and_, 7),
    "<<": Operation(_python.lshift, 8),
    ">>": Operation(_python.rshift, 8),
    "+": Operation(_python.add, 9),
    "-": Operation(_python.sub, 9),
    "*": Operation(_python.mul, 10),
    "/": Operation(_python.truediv, 10),
    "//": Operation(_python.floordiv, 10),
    "%": Operation(_python.mod, 10),
    "neg": Operation(_python.neg, 11),
    "**": Operation(_python.pow, 12),
    "abs": Operation(abs, ATOMIC),
    "float": Operation(float, ATOMIC),
    "int": Operation(int, ATOMIC),
    "max": Operation(max, ATOMIC),
    "min": Operation(min, ATOMIC),
}

#: How to compute each.
FUNCTIONS: Final = {name: each.function for name, each in OPERATIONS.items()}
