"""Polynomials with integer coefficients: sums of products of numbered things.

A polynomial is a dict from monomials to coefficients other than 0. A monomial is a
sorted tuple of numbers, each as often as it is a factor: ``3*a*a + 1`` with ``a`` as
number 7 is ``{(7, 7): 3, (): 1}``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, int]
#: A polynomial as a key of dicts.
Frozen = tuple[tuple[Monomial, int], ...]

#: The monomial of the constant.
ONE: Final[Monomial] = ()


def constant(value: int) -> Polynomial:
    """Return a number as a polynomial."""
    return {ONE: value} if value else {}


def constant_of(a: Polynomial) -> int | None:
    """Return the number that a polynomial is, None if it is more."""
    return a.get(ONE, 0) if a.keys() <= {ONE} else None


def total(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
    """Return the sum of terms."""
    found: Polynomial = {}
    for monomial, factor in terms:
        found[monomial] = found.get(monomial, 0) + factor
    return {monomial: factor for monomial, factor in found.items() if factor}


def add(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return the sum of two polynomials."""
    return total([*a.items(), *b.items()])


def scale(factor: int, a: Polynomial) -> Polynomial:
    """Return a multiple of a polynomial."""
    return total((monomial, factor * f) for monomial, f in a.items())


def subtract(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return the difference of two polynomials."""
    return add(a, scale(-1, b))


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return the product of two polynomials."""
    return total(
        (tuple(sorted(m + n)), f * g) for m, f in a.items() for n, g in b.items()
    )


def divide(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return ``quotient`` and ``rest`` with ``a == quotient*b + rest``.

    Only the terms that a single term ``b`` divides go into the quotient.
    """
    if len(b) != 1:
        return ({ONE: 1}, {}) if a == b and b else ({}, a)
    ((divisor, by),) = b.items()
    quotient: Polynomial = {}
    rest: Polynomial = {}
    for monomial, factor in a.items():
        left = Counter(monomial)
        left.subtract(divisor)
        if factor % by == 0 and min(left.values(), default=0) >= 0:
            quotient[tuple(sorted(left.elements()))] = factor // by
        else:
            rest[monomial] = factor
    return quotient, rest


def substitute(a: Polynomial, number: int, by: Polynomial) -> Polynomial:
    """Return a polynomial in which another one stands for a number."""
    found: Polynomial = {}
    for monomial, factor in a.items():
        term = {tuple(n for n in monomial if n != number): factor}
        for _ in range(monomial.count(number)):
            term = multiply(term, by)
        found = add(found, term)
    return found


def frozen(a: Polynomial) -> Frozen:
    """Return a polynomial as a key: the same for equal ones."""
    return tuple(sorted(a.items()))
