"""Ranges of integers: between which bounds the value of an expression lies."""

from __future__ import annotations

from typing import Final, NamedTuple


class Range(NamedTuple):
    """The integers from ``low`` to ``high``; None where there is no bound."""

    low: int | None
    high: int | None

    def __and__(self, other: Range) -> Range:
        lows = [r.low for r in (self, other) if r.low is not None]
        highs = [r.high for r in (self, other) if r.high is not None]
        return Range(max(lows, default=None), min(highs, default=None))


ANY: Final = Range(None, None)
NOT_NEGATIVE: Final = Range(0, None)


def range_of_sum(a: Range, b: Range) -> Range:
    """Return the range of a sum."""
    return Range(
        None if a.low is None or b.low is None else a.low + b.low,
        None if a.high is None or b.high is None else a.high + b.high,
    )


def range_of_multiple(factor: int, a: Range) -> Range:
    """Return the range of a multiple by a number other than 0."""
    low = None if a.low is None else factor * a.low
    high = None if a.high is None else factor * a.high
    return Range(low, high) if factor > 0 else Range(high, low)


def range_of_product(a: Range, b: Range) -> Range:
    """Return the range of a product: of what may be negative only if it is finite."""
    if a.low is None or b.low is None:
        return ANY
    if a.high is not None and b.high is not None:
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Range(min(corners), max(corners))
    return Range(a.low * b.low, None) if a.low >= 0 and b.low >= 0 else ANY


def range_of_quotient(a: Range, b: Range) -> Range:
    """Return the range of ``a // b``, if neither can be negative."""
    if a.low is None or a.low < 0 or b.low is None or b.low < 1:
        return ANY
    low = 0 if b.high is None else a.low // b.high
    return Range(low, None if a.high is None else a.high // b.low)


def range_of_remainder(a: Range, b: Range) -> Range:
    """Return the range of ``a % b``, if the divisor is positive."""
    if b.low is None or b.low < 1:
        return ANY
    found = Range(0, None if b.high is None else b.high - 1)
    return found & Range(None, a.high) if a.low is not None and a.low >= 0 else found


def range_of_max(a: Range, b: Range) -> Range:
    """Return the range of the greater of two."""
    highest = None if a.high is None or b.high is None else max(a.high, b.high)
    return Range(
        max((r.low for r in (a, b) if r.low is not None), default=None), highest
    )


def range_of_min(a: Range, b: Range) -> Range:
    """Return the range of the smaller of two."""
    lowest = None if a.low is None or b.low is None else min(a.low, b.low)
    return Range(
        lowest, min((r.high for r in (a, b) if r.high is not None), default=None)
    )


def range_of_abs(a: Range) -> Range:
    """Return the range of the distance from 0."""
    return a if a.low is not None and a.low >= 0 else NOT_NEGATIVE
