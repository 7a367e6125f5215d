"""`SymBool`: whether something is true of the sizes of arrays."""

from __future__ import annotations

from typing import Any

from ...runtime.symbols import SymbolicBool
from .expression import Expression, apply, hint_of
from .operations import NEGATIONS


class SymBool(Expression, SymbolicBool, hint_type=bool):
    """A truth value such as ``s0 == s1``.

    A program that asks for it, as ``if`` does, takes the branch that the example takes,
    and the answer is recorded as a guard unless it can be no other. ``&``, ``|`` and
    ``~`` combine truth values and ask nothing.
    """

    __slots__ = ("_answer",)
    __hash__ = object.__hash__

    _answer: bool

    def __bool__(self) -> bool:
        try:
            return self._answer
        except AttributeError:
            self._answer = self.env.decide(self)
            return self._answer

    def __int__(self) -> int:
        return int(bool(self))

    def __index__(self) -> int:
        return int(bool(self))

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, bool | SymBool):
            return NotImplemented
        return self is other or bool(self) == bool(other)

    def __and__(self, other: Any) -> Any:
        return _logical("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return _logical("or", self, other)

    __ror__ = __or__

    def __invert__(self) -> Any:
        return negation(self)


def negation(condition: SymBool) -> Any:
    """Return the condition that is true where one is not."""
    opposite = NEGATIONS.get(condition.operation)
    numbers = condition.operands
    # Both ``a < nan`` and ``a >= nan`` are false.
    if opposite is None or not all(type(hint_of(number)) is int for number in numbers):
        return apply(condition.env, "not", condition)
    return apply(condition.env, opposite, *numbers)


def _logical(operation: str, left: SymBool, right: Any) -> Any:
    if isinstance(right, SymBool):
        return left if left is right else apply(left.env, operation, left, right)
    if not isinstance(right, bool):
        return NotImplemented
    decides = right is (operation == "or")
    return right if decides else left
