"""Errors about what kernels do, and those that the kernels of keyslot raise."""

from __future__ import annotations

from .base import KeyslotError


class KernelCheckError(KeyslotError, RuntimeError):
    """A kernel that does other things than its schema says, found by a check."""

    _fields = ("op", "schema", "key", "kernel", "site", "problem", "hint")
    op: str
    schema: str
    #: The key at which the kernel was called.
    key: str
    kernel: str
    #: Where it was registered.
    site: str
    problem: str
    hint: str

    def message(self) -> str:
        return (
            f"{self.op}: the kernel at {self.key} {self.problem}\n"
            f"  schema: {self.schema}\n"
            f"  kernel: {self.kernel} from {self.site}\n"
            f"  what to do: {self.hint}"
        )


class OutShapeError(KeyslotError, ValueError):
    """An array given to be written whose shape is not that of the result."""

    _fields = ("argument", "shape", "expected")
    argument: str
    shape: tuple[int, ...]
    expected: tuple[int, ...]

    def message(self) -> str:
        return (
            f"{self.argument} has shape {self.shape}, the result has shape"
            f" {self.expected}; an array given to be written is not resized."
        )


class DtypeError(KeyslotError, TypeError):
    """A dtype that is unknown, or that an operator does not take."""

    _fields = ("problem",)
    problem: str


class ArgumentIndexError(KeyslotError, IndexError):
    """Indices of another number, dtype or sign than an operator takes."""

    _fields = ("problem",)
    problem: str


class DivisionByZeroError(KeyslotError, ZeroDivisionError):
    """A division of integers by zero, which has no result."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return f"{self.op} divides an integer by zero"


class NoGradientError(KeyslotError, RuntimeError):
    """A gradient that is asked for and that an operator does not have."""

    _fields = ("op", "why")
    op: str
    why: str

    def message(self) -> str:
        return f"{self.op} has no gradient: {self.why}"
