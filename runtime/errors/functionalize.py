"""Errors of programs whose changes in place are taken out, as `functionalize` does."""

from __future__ import annotations

from .base import KeyslotError


class NoFunctionalCompanionError(KeyslotError, NotImplementedError):
    """An operator that changes its arguments, and no other does the same without."""

    _fields = ("op", "schema", "companion")
    op: str
    schema: str
    #: The name that a functional companion would have.
    companion: str

    def message(self) -> str:
        return (
            f"{self.op} changes its arguments, and there is no functional operator to"
            f" call in its place\n  schema: {self.schema}\n  what to do: declare"
            f" {self.companion} with the same arguments, or ask for it with 'autogen:"
            f" {self.companion}'; or register a kernel at the key Functionalize that"
            " calls other operators"
        )


class FunctionalWriteError(KeyslotError, RuntimeError):
    """A change in place that has no meaning for arrays without memory of their own."""

    _fields = ("op", "argument", "why")
    op: str
    argument: str
    why: str

    def message(self) -> str:
        return (
            f"{self.op} cannot change {self.argument} under functionalize: {self.why}"
        )


class SharedInputsError(KeyslotError, ValueError):
    """Arguments that share memory, one of which a functionalized program changes."""

    _fields = ("written", "other")
    written: int
    other: int

    def message(self) -> str:
        return (
            f"array {self.written} among the arguments is changed, and array"
            f" {self.other} shares memory with it, which functionalize does not see:"
            " pass one array, and make views of it inside the function"
        )
