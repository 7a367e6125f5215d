"""Symbolic numbers: what stands for a number that a program computes with later.

The classes with the arithmetic are in ``keyslot.transforms.symbolic``. These are their
bases, by which calls know them without loading any of it.
"""

from __future__ import annotations


class SymbolicNumber:
    """The base of all symbolic numbers.

    They are no ``numbers.Number``: who converts such a number with ``int()`` would fix
    it to its present value without saying so.
    """

    __slots__ = ()


class SymbolicInt(SymbolicNumber):
    """A symbolic integer, such as the size of a dimension."""

    __slots__ = ()


class SymbolicFloat(SymbolicNumber):
    """A symbolic float, such as a quotient of sizes."""

    __slots__ = ()


class SymbolicBool(SymbolicNumber):
    """A symbolic truth value, such as whether two sizes are equal."""

    __slots__ = ()
