"""What is seen at a glance of an operation on two operands.

These rules are tried once for each expression, when it is made, so they look no further
than the operands. What takes more is in `normal_forms`, asked only where a program
wants the answer to a comparison.
"""

from __future__ import annotations

from typing import Any, Final

from .operations import OPERATIONS

#: Operations that give one of these from two operands that are the same.
_OF_THE_SAME: Final = {
    "-": 0,
    "==": True,
    "<=": True,
    ">=": True,
    "!=": False,
    "<": False,
    ">": False,
}
#: Numbers on the right that leave what is on the left as it is.
_NEUTRAL: Final = {"+": 0, "//": 1, "**": 1}


def in_normal_order(
    operation: str, left: Any, right: Any
) -> tuple[str, Any, Any] | None:
    """Return the operation as it is better written, None if it is well written.

    The older of two operands comes first where that makes no difference, a number in a
    product before what it multiplies, in a sum behind: ``2*s0 + 1``. Numbers meet.
    """
    if operation == "-" and type(right) is int:
        return "+", left, -right
    if OPERATIONS[operation].commutes and _place(operation, right) < _place(
        operation, left
    ):
        return operation, right, left
    if operation == "+" and type(right) is int and _ends_in_int(left, "+", 1):
        return "+", left.operands[0], left.operands[1] + right
    if operation == "*" and type(left) is int and _ends_in_int(right, "*", 0):
        return "*", left * right.operands[0], right.operands[1]
    return None


def known(operation: str, left: Any, right: Any) -> Any:
    """Return what an operation on integers gives if that is plain, None if not."""
    if type(left) is int and type(right) is int:
        return OPERATIONS[operation].function(left, right)
    if float in (type(left), type(right)) or float in map(_hint_type, (left, right)):
        return None
    if left is right:
        return left if operation in ("max", "min") else _OF_THE_SAME.get(operation)
    if type(right) is int and right == _NEUTRAL.get(operation):
        return left
    if type(left) is int and operation == "*" and left in (0, 1):
        return right if left else 0
    if type(right) is int:
        return {("%", 1): 0, ("**", 0): 1}.get((operation, right))
    return None


def _place(operation: str, operand: Any) -> float:
    if hasattr(operand, "number"):
        return float(operand.number)
    return -1 if operation == "*" else float("inf")


def _ends_in_int(operand: Any, operation: str, place: int) -> bool:
    return (
        getattr(operand, "operation", None) == operation
        and type(operand.operands[place]) is int
    )


def _hint_type(operand: Any) -> type | None:
    return getattr(operand, "hint_type", None)
