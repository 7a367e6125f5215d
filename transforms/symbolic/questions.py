"""Questions: comparisons of integers in a form in which equal ones are equal.

``s0 < s1``, ``s1 >= s0 + 1`` and ``2*s0 + 2 <= 2*s1`` are one question, whether
``s0 - s1`` is at most -1.
"""

from __future__ import annotations

from math import gcd
from typing import Literal, NamedTuple

from .polynomials import ONE, Frozen, Polynomial, frozen, subtract
from .ranges import ANY, Range

Comparison = Literal["==", ">=", "<="]


class Question(NamedTuple):
    """Whether a polynomial equals a number, or is at least or at most a number."""

    #: Without a constant, the first coefficient positive, none of them dividing all.
    polynomial: Frozen
    comparison: Comparison
    value: int

    def answer(self, bounds: Range) -> bool | None:
        """Return the answer for polynomials between bounds, None if it depends."""
        value = self.value
        below = bounds.low is not None and value < bounds.low
        above = bounds.high is not None and value > bounds.high
        match self.comparison:
            case "==":
                is_only = bounds == (value, value)
                return False if below or above else is_only or None
            case ">=":
                return False if above else below or bounds.low == value or None
            case "<=":
                return False if below else above or bounds.high == value or None

    def bounds(self, answer: bool) -> Range:
        """Return the bounds that an answer gives."""
        match self.comparison, answer:
            case "==", True:
                return Range(self.value, self.value)
            case "==", False:
                return ANY
            case (">=", True) | ("<=", False):
                return Range(self.value + (not answer), None)
            case _:
                return Range(None, self.value - (not answer))


def question(left: Polynomial, is_equal: bool, right: Polynomial) -> Question | bool:
    """Return what ``left == right`` or ``left >= right`` asks, or the plain answer."""
    difference = subtract(left, right)
    distance = difference.pop(ONE, 0)
    if not difference:
        return distance == 0 if is_equal else distance >= 0
    divisor = gcd(*difference.values())
    if is_equal and distance % divisor:
        return False
    # divisor*p + distance >= 0 says that p >= -distance/divisor, rounded up.
    value = -(distance // divisor)
    comparison: Comparison = "==" if is_equal else ">="
    if frozen(difference)[0][1] < 0:
        divisor, value = -divisor, -value
        comparison = "==" if is_equal else "<="
    polynomial = frozen({m: factor // divisor for m, factor in difference.items()})
    return Question(polynomial, comparison, value)
