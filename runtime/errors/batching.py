"""Errors of batched calls, as `vmap` makes them."""

from __future__ import annotations

from .base import KeyslotError


class NoBatchingRuleError(KeyslotError, NotImplementedError):
    """A batched array for an operator that has no batching rule."""

    _fields = ("op", "schema", "example")
    op: str
    schema: str
    #: A batching rule to start from, as Python.
    example: str

    def message(self) -> str:
        lines = [f"    {line}".rstrip() for line in self.example.split("\n")]
        return "\n".join(
            [
                f"{self.op} has no batching rule, so it does not take batched arrays",
                f"  schema: {self.schema}",
                "  what to do: name a rule in its YAML entry and generate again,"
                " 'batching: pointwise' where elements are computed one by one; or"
                " register one, 'op' being the overload:",
                "",
                *lines,
                "",
                "  or call it once for each item, with vmap(..., loop=True)",
            ]
        )


class UnbatchedWriteError(KeyslotError, ValueError):
    """A batched result that is to be written to an array without the batch."""

    _fields = ("op", "argument", "batched")
    op: str
    argument: str
    #: The arguments that are batched.
    batched: tuple[str, ...]

    def message(self) -> str:
        verb = "is" if len(self.batched) == 1 else "are"
        given = f"{', '.join(self.batched)} {verb}" if self.batched else "the result is"
        return (
            f"{self.op} would write to {self.argument}, which is not batched, while"
            f" {given}: one array cannot hold the results of all items\n"
            "  what to do: call the functional form of the operator, or make"
            f" {self.argument} of a batched array, with zeros_like for instance"
        )


class RandomnessError(KeyslotError, RuntimeError):
    """Random numbers within a `vmap` that was not told whose they are."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return (
            f"{self.op} draws random numbers within vmap, which was not told whether"
            " the items of the batch share them\n"
            "  what to do: vmap(..., randomness='different') draws new ones for each"
            " item, randomness='same' the same for all"
        )


class BatchedDataError(KeyslotError, ValueError):
    """A batched array for an operator whose kind of result depends on its elements."""

    _fields = ("op", "batched")
    op: str
    #: The arguments that are batched.
    batched: tuple[str, ...]

    def message(self) -> str:
        names = ", ".join(self.batched)
        return (
            f"{self.op} reads the elements of {names} to tell what its result is, a"
            " number or an array of some size, and the items of a batch differ there\n"
            "  what to do: compute with arrays of one size, with where for instance,"
            " or do this outside vmap"
        )
