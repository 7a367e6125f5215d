"""The operations that symbolic expressions are made of, as a table.

Each has a name, which is also how Python writes it, a function that computes it, and how
tightly its sign binds where an expression is printed.
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
    #: ``min`` and ``==``, but not ``-``: the operands may change places.
    commutes: bool = False


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
    "or": Operation(lambda a, b: a or b, 1, commutes=True),
    "and": Operation(lambda a, b: a and b, 2, commutes=True),
    "not": Operation(operator.not_, 3),
    "==": Operation(operator.eq, 4, commutes=True),
    "!=": Operation(operator.ne, 4, commutes=True),
    "<": Operation(operator.lt, 4),
    "<=": Operation(operator.le, 4),
    ">": Operation(operator.gt, 4),
    ">=": Operation(operator.ge, 4),
    "|": Operation(operator.or_, 5, commutes=True),
    "^": Operation(operator.xor, 6, commutes=True),
    "&": Operation(operator.and_, 7, commutes=True),
    "<<": Operation(operator.lshift, 8),
    ">>": Operation(operator.rshift, 8),
    "+": Operation(operator.add, 9, commutes=True),
    "-": Operation(operator.sub, 9),
    "*": Operation(operator.mul, 10, commutes=True),
    "/": Operation(operator.truediv, 10),
    "//": Operation(operator.floordiv, 10),
    "%": Operation(operator.mod, 10),
    "neg": Operation(operator.neg, 11),
    "**": Operation(operator.pow, 12),
    "abs": Operation(abs, ATOMIC),
    "float": Operation(float, ATOMIC),
    "int": Operation(int, ATOMIC),
    "max": Operation(max, ATOMIC, commutes=True),
    "min": Operation(min, ATOMIC, commutes=True),
}
