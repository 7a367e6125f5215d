"""Errors of symbolic sizes."""

from __future__ import annotations

from .base import KeyslotError


class GuardError(KeyslotError, ValueError):
    """Arrays of other sizes than those that a traced program is valid for."""

    _fields = ("given", "failed")
    #: The shapes of the arrays, each after its name.
    given: str
    #: What would have to be true of them, each with the line that asked.
    failed: tuple[str, ...]

    def message(self) -> str:
        listed = "".join(f"\n  {condition}" for condition in self.failed)
        return (
            f"the program was traced for other sizes than {self.given}; trace it again"
            f" for these. It is valid only if{listed}"
        )


class MixedShapeEnvsError(KeyslotError, ValueError):
    """Symbolic sizes of two programs in one expression."""

    _fields = ("operation", "left", "right")
    operation: str
    left: str
    right: str

    def message(self) -> str:
        return (
            f"{self.left} and {self.right} are of two shape environments, and"
            f" {self.operation!r} takes sizes of one; create both symbols in the same"
        )


class ComplexSizeError(KeyslotError, TypeError):
    """An expression of sizes whose value is complex."""

    _fields = ("value",)
    value: str

    def message(self) -> str:
        return (
            f"an expression of sizes has the value {self.value}, and only integers,"
            " floats and truth values can be symbolic; use float(size), a plain number"
        )
