"""What is seen at a glance of an operation on two integers.

There is a rule for each operation, tried once for each expression, when it is made. So
it looks no further than the operands. What takes more is in `normal_forms`, asked only
where a program wants the answer to a comparison.

A rule returns what the operation gives if that is plain or better written another way,
else None. At least one operand is an expression, the other may be a plain number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

Rule = Callable[[Any, Any], Any]


def _sum(a: Any, b: Any) -> Any:
    """Older before younger, the number last and only one, a double as a product."""
    if type(b) is int:
        if b == 0:
            return a
        return a.operands[0] + (a.operands[1] + b) if _ends_in_int(a) else None
    if type(a) is int:
        return b + a
    if _ends_in_int(a):
        return a.operands[0] + b + a.operands[1]
    if b.number < a.number or _ends_in_int(b):
        return b + a
    # What doubles again and again stays short.
    return a * 2 if a is b else None


def _ends_in_int(a: Any) -> bool:
    return a.operation == "+" and type(a.operands[1]) is int


def _difference(a: Any, b: Any) -> Any:
    if type(b) is int:
        return a + -b
    return 0 if a is b else None


def _product(a: Any, b: Any) -> Any:
    """Older before younger, the number last and only one."""
    if type(b) is int:
        if b in (0, 1):
            return a if b else 0
        if a.operation == "*" and type(a.operands[1]) is int:
            return a.operands[0] * (a.operands[1] * b)
        return None
    return b * a if type(a) is int or b.number < a.number else None


def _division(by_one: Callable[[Any], Any]) -> Rule:
    return lambda a, b: by_one(a) if type(b) is int and b == 1 else None


def _power(a: Any, b: Any) -> Any:
    if type(b) is int and b in (0, 1):
        return a if b else 1
    return None


def _comparison(compare: Rule) -> Rule:
    """Return the rule for a comparison, whose left side is an expression."""

    def rule(a: Any, b: Any) -> Any:
        if type(b) is int:
            # n + 1 < 3 is n < 2
            return (
                compare(a.operands[0], b - a.operands[1]) if _ends_in_int(a) else None
            )
        if a is b:
            return compare(0, 0)
        is_younger = b.number < a.number
        return compare(b, a) if is_younger and compare in _SYMMETRIC else None

    return rule


def _choice(a: Any, b: Any) -> Any:
    return a if a is b else None


_SYMMETRIC: Final = (operator.eq, operator.ne)
#: The rules by operation.
RULES: Final[dict[str, Rule]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "//": _division(lambda a: a),
    "%": _division(lambda _: 0),
    "**": _power,
    "==": _comparison(operator.eq),
    "!=": _comparison(operator.ne),
    "<": _comparison(operator.lt),
    "<=": _comparison(operator.le),
    ">": _comparison(operator.gt),
    ">=": _comparison(operator.ge),
    "max": _choice,
    "min": _choice,
}
