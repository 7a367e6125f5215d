"""What is known of sizes: from their ranges, and from the guards recorded so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from .expression import Expression, hint_of
from .normal_forms import NormalForms
from .operations import NEGATIONS
from .polynomials import Frozen, Polynomial, constant, scale, subtract
from .questions import Question, question
from .ranges import ANY, Range
from .sym_bool import SymBool

#: What symbols stand for: sizes 0 and 1 never get one.
SMALLEST_SIZE: Final = 2


class Knowledge:
    """What the guards of one environment say of its expressions.

    An equation replaces a symbol by what it equals, in all that is asked from then on.
    Any other guard bounds a polynomial, or excludes a value of it.
    """

    def __init__(self) -> None:
        self._forms: Final = NormalForms()
        self._symbols: Final[list[Expression]] = []
        self._facts: Final[list[SymBool]] = []
        self._bounds: Final[dict[Frozen, Range]] = {}
        self._excluded: Final[set[tuple[Frozen, int]]] = set()

    def add_symbol(self, symbol: Expression) -> None:
        """Take in a new symbol."""
        self._symbols.append(symbol)
        self._note_size(symbol)

    @property
    def symbol_count(self) -> int:
        """How many symbols there are."""
        return len(self._symbols)

    def answer(self, condition: Any) -> bool | None:
        """Return whether a condition is true, None if it depends on the sizes."""
        if not isinstance(condition, SymBool):
            return bool(condition)
        match condition.operation:
            case "not":
                inner = self.answer(condition.operands[0])
                return None if inner is None else not inner
            case "and" | "or" as operation:
                return _of_parts(operation, map(self.answer, condition.operands))
            case _:
                return self._answer_comparison(condition)

    def _answer_comparison(self, condition: SymBool) -> bool | None:
        if not _is_of_integers(condition):
            return None
        asked, yes = self._question(condition)
        found = asked if isinstance(asked, bool) else self._answer(asked)
        return None if found is None else found is yes

    def learn(self, condition: SymBool) -> None:
        """Take in that a condition is true."""
        if _is_of_integers(condition):
            self._facts.append(condition)
            self._note_fact(condition)

    def _question(self, condition: SymBool) -> tuple[Question | bool, bool]:
        """Return what a comparison asks, and the answer with which it is true."""
        comparison = condition.operation
        left, right = map(self._forms.of, condition.operands)
        yes = comparison in ("==", ">=", "<=")
        if not yes:
            comparison = NEGATIONS[comparison]
        if comparison == "<=":
            left, right = right, left
        return question(left, comparison == "==", right), yes

    def _answer(self, asked: Question) -> bool | None:
        if asked.comparison == "==" and asked[::2] in self._excluded:
            return False
        return asked.answer(self._range(asked.polynomial))

    def _range(self, polynomial: Frozen) -> Range:
        found = self._forms.range_of(dict(polynomial))
        return found & self._bounds.get(polynomial, ANY)

    def _note_fact(self, condition: SymBool) -> None:
        self._note(*self._question(condition))

    def _note_size(self, symbol: Expression) -> None:
        smallest = constant(SMALLEST_SIZE)
        self._note(question(self._forms.of(symbol), False, smallest), True)

    def _note(self, asked: Question | bool, answer: bool) -> None:
        if isinstance(asked, bool):
            return
        if asked.comparison == "==" and not answer:
            self._excluded.add((asked.polynomial, asked.value))
        bounds = self._range(asked.polynomial) & asked.bounds(answer)
        self._narrow(asked.polynomial, self._without_excluded(asked.polynomial, bounds))

    def _without_excluded(self, polynomial: Frozen, bounds: Range) -> Range:
        low, high = bounds
        while low is not None and (polynomial, low) in self._excluded:
            low += 1
        while high is not None and (polynomial, high) in self._excluded:
            high -= 1
        return Range(low, high)

    def _narrow(self, polynomial: Frozen, bounds: Range) -> None:
        self._bounds[polynomial] = bounds
        if len(polynomial) == 1 and len(polynomial[0][0]) == 1:
            (number,), _ = polynomial[0]
            self._forms.limit(number, bounds)
        if bounds.low is not None and bounds.low == bounds.high:
            self._equate(dict(polynomial), bounds.low)

    def _equate(self, polynomial: Polynomial, value: int) -> None:
        """Replace a symbol by what an equation says of it, if it says it plainly."""
        numbers = [number for monomial in polynomial for number in monomial]
        if not self._forms.symbols.issuperset(numbers):
            return None
        # The youngest: what is there longer is what people know.
        for number in sorted(set(numbers), reverse=True):
            factor = polynomial.get((number,))
            if factor in (1, -1) and numbers.count(number) == 1:
                others = {m: f for m, f in polynomial.items() if m != (number,)}
                rest = subtract(constant(value), others)
                self._forms.replace(number, scale(factor, rest))
                return self._note_again()
        return None

    def _note_again(self) -> None:
        for symbol in self._symbols:
            self._note_size(symbol)
        for condition in self._facts:
            self._note_fact(condition)


def _of_parts(operation: str, answers: Iterable[bool | None]) -> bool | None:
    decides = operation == "or"
    found = set(answers)
    if decides in found:
        return decides
    return None if None in found else not decides


def _is_of_integers(condition: SymBool) -> bool:
    return condition.operation in NEGATIONS and all(
        type(hint_of(operand)) is int for operand in condition.operands
    )
