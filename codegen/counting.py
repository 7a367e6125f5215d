"""How many of something there are, in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 key``, ``2 keys``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
