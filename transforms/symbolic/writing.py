"""Expressions as Python source."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from .expression import Expression, in_order
from .operations import ATOMIC, NEGATIONS, OPERATIONS, SYMBOL

#: Signs without spaces around them.
_TIGHT: Final = ("*", "**")
#: How tightly a sign before something binds.
_NEGATIVE: Final = OPERATIONS["neg"].precedence


class Written(NamedTuple):
    """Some source, and how tightly it binds."""

    text: str
    precedence: int = ATOMIC

    def within(self, precedence: int) -> str:
        """Return the text as part of something, in parentheses if need be."""
        return self.text if self.precedence >= precedence else f"({self.text})"


class Writer:
    """Writes expressions, and remembers the text of each."""

    def __init__(self, names: Mapping[Any, str]) -> None:
        self._written: Final = {each: Written(name) for each, name in names.items()}

    def text(self, value: Any) -> str:
        """Return the source of an expression or a number."""
        return self.written(value).text

    def written(self, value: Any) -> Written:
        """Return the source of an expression or a number, and how it binds."""
        for each in in_order([value], self._written):
            self._written[each] = self._write(each)
        return self._read(value)

    def name(self, each: Expression, name: str) -> None:
        """Have an expression appear by a name from now on."""
        self._written[each] = Written(name)

    def _write(self, each: Expression) -> Written:
        operation = each.operation
        if operation == SYMBOL:
            return Written(each.operands[0])
        operands = [self._read(operand) for operand in each.operands]
        if operation == "*" and type(each.operands[1]) is int:
            # People write 2*s0.
            operands.reverse()
        precedence = OPERATIONS[operation].precedence
        if precedence == ATOMIC:
            listed = ", ".join(operand.text for operand in operands)
            return Written(f"{operation}({listed})")
        if len(operands) == 1:
            sign = "-" if operation == "neg" else f"{operation} "
            return Written(sign + operands[0].within(precedence), precedence)
        return Written(_binary(operation, precedence, *operands), precedence)

    def _read(self, value: Any) -> Written:
        if isinstance(value, Expression):
            return self._written[value]
        return _number(value)


def _binary(operation: str, precedence: int, left: Written, right: Written) -> str:
    if operation == "+" and right.precedence == _NEGATIVE and right.text[0] == "-":
        operation, right = "-", Written(right.text[1:])
    # Only ** binds to the right, and of comparisons none stands beside another.
    is_loose_left = operation != "**" and operation not in NEGATIONS
    first = left.within(precedence if is_loose_left else precedence + 1)
    second = right.within(_NEGATIVE if operation == "**" else precedence + 1)
    sign = operation if operation in _TIGHT else f" {operation} "
    return f"{first}{sign}{second}"


def _number(value: float) -> Written:
    text = repr(value)
    # Python has no literal for infinity.
    if type(value) is float and not isfinite(value):
        return Written(f"float({text!r})")
    return Written(text, _NEGATIVE if text[0] == "-" else ATOMIC)
