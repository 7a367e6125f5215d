"""Normal forms: expressions of integers as polynomials, the same for equal ones.

What is no sum, difference, product or power is a single *thing* in the polynomial,
known by its operation and the normal forms of its operands. A quotient ``//`` is taken
apart as far as it is exact: ``(s0*s1 + s2) // s0`` is ``s1 + s2 // s0``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .expression import Expression, hint_of, in_order
from .operations import FUNCTIONS, SYMBOL
from .polynomials import (
    ONE,
    Monomial,
    Polynomial,
    add,
    constant,
    constant_of,
    divide,
    frozen,
    multiply,
    scale,
    substitute,
    subtract,
)
from .ranges import (
    ANY,
    Range,
    range_of_abs,
    range_of_max,
    range_of_min,
    range_of_multiple,
    range_of_product,
    range_of_quotient,
    range_of_remainder,
    range_of_sum,
)

_RANGES: Final[dict[str, Callable[..., Range]]] = {
    "//": range_of_quotient,
    "%": range_of_remainder,
    "max": range_of_max,
    "min": range_of_min,
    "abs": range_of_abs,
}
#: Products of more terms are not multiplied out, nor are powers but these.
_MOST_TERMS: Final = 64
_POWERS: Final = range(9)


class NormalForms:
    """The normal forms of the expressions of one environment.

    ``replace`` says that a symbol equals something, and forgets what was made before.
    """

    def __init__(self) -> None:
        self._numbers: Final[dict[Any, int]] = {}
        self._ranges: Final[dict[int, Range]] = {}
        self._forms: Final[dict[Expression, Polynomial]] = {}
        self._replaced: Final[dict[int, Polynomial]] = {}
        #: The numbers of symbols, the older the smaller.
        self.symbols: Final[set[int]] = set()

    def of(self, value: Any) -> Polynomial:
        """Return the normal form of an expression of integers, or of a number."""
        if not isinstance(value, Expression):
            return constant(value)
        for each in in_order([value], self._forms):
            self._forms[each] = self._form(each)
        return self._forms[value]

    def range_of(self, form: Polynomial) -> Range:
        """Return bounds that the values of a polynomial cannot leave."""
        found = Range(0, 0)
        for monomial, factor in form.items():
            found = range_of_sum(
                found, range_of_multiple(factor, self._range_of_monomial(monomial))
            )
        return found

    def limit(self, number: int, bounds: Range) -> None:
        """Note between which bounds a thing lies."""
        self._ranges[number] = self._ranges.get(number, ANY) & bounds

    def replace(self, number: int, by: Polynomial) -> None:
        """Put a polynomial over symbols in the place of a symbol, from now on."""
        for other, form in self._replaced.items():
            self._replaced[other] = substitute(form, number, by)
        self._replaced[number] = by
        self._forms.clear()

    def _range_of_monomial(self, monomial: Monomial) -> Range:
        found = Range(1, 1)
        for number in monomial:
            found = range_of_product(found, self._ranges.get(number, ANY))
        return found

    def _form(self, each: Expression) -> Polynomial:
        if each.operation == SYMBOL:
            number = self._number_of(each)
            self.symbols.add(number)
            return self._replaced.get(number, {(number,): 1})
        if not all(type(hint_of(o)) is int for o in (each, *each.operands)):
            # Floats have no normal form.
            return {(self._number_of(each),): 1}
        operands = [
            self._forms[o] if isinstance(o, Expression) else constant(o)
            for o in each.operands
        ]
        return self._computed(each.operation, operands)

    def _computed(self, operation: str, operands: list[Polynomial]) -> Polynomial:
        values = [constant_of(operand) for operand in operands]
        if None not in values:
            return constant(FUNCTIONS[operation](*values))
        match operation, operands:
            case "+", [a, b]:
                return add(a, b)
            case "-", [a, b]:
                return subtract(a, b)
            case "neg", [a]:
                return scale(-1, a)
            case "*", [a, b] if len(a) * len(b) <= _MOST_TERMS:
                return multiply(a, b)
            case "**", [a, _] if (power := values[1]) is not None and power in _POWERS:
                return self._power(a, power)
            case "//" | "%", [a, b]:
                return self._divided(operation, a, b)
            case "abs", [a] if self.is_at_least(a, {}):
                return a
            case "max" | "min", [a, b]:
                return self._chosen(operation, a, b)
            case _:
                return self._thing(operation, *operands)

    def _power(self, base: Polynomial, exponent: int) -> Polynomial:
        found = constant(1)
        for _ in range(exponent):
            found = self._computed("*", [found, base])
        return found

    def _divided(self, operation: str, a: Polynomial, b: Polynomial) -> Polynomial:
        bounds = self.range_of(b)
        if bounds.low is None or bounds.low < 1:
            return self._thing(operation, a, b)
        quotient, rest = divide(a, b)
        is_rest = self.is_at_least(rest, {}) and self.is_at_least(
            b, add(rest, {ONE: 1})
        )
        if operation == "%":
            return rest if is_rest else self._thing(operation, rest, b)
        return quotient if is_rest else add(quotient, self._thing(operation, rest, b))

    def _chosen(self, operation: str, a: Polynomial, b: Polynomial) -> Polynomial:
        smaller, greater = (a, b) if operation == "min" else (b, a)
        if self.is_at_least(b, a):
            return smaller
        return greater if self.is_at_least(a, b) else self._thing(operation, a, b)

    def is_at_least(self, a: Polynomial, b: Polynomial) -> bool:
        """Whether it is certain that one is at least the other."""
        low = self.range_of(subtract(a, b)).low
        return low is not None and low >= 0

    def _thing(self, operation: str, *operands: Polynomial) -> Polynomial:
        number = self._number_of((operation, *map(frozen, operands)))
        if operation in _RANGES:
            ranges = map(self.range_of, operands)
            self.limit(number, _RANGES[operation](*ranges))
        return {(number,): 1}

    def _number_of(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
