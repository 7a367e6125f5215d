"""What a batching rule is given, and what it returns.

A batched array stands for as many arrays as the batch has items: the *logical* arrays.
It is held by one *physical* array, whose dimension 0 is the batch. A rule is given the
physical arrays of one call and returns the physical result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from ...runtime.op import OpOverload

#: Whether random numbers may be asked for, the same for each item or one set for each.
Randomness = Literal["error", "same", "different"]


@dataclass(slots=True)
class BatchedCall:
    """One call of an operator of whose arrays at least one is batched.

    ``args`` and ``kwargs`` are all arguments of the schema, defaults filled in, the
    keyword-only ones by name. A rule changes neither.
    """

    #: The overload that was called.
    op: OpOverload
    #: How many items the batch has; it may be symbolic.
    size: Any
    #: The positional arguments, physical arrays in the place of batched ones.
    args: tuple[Any, ...]
    #: The keyword-only arguments.
    kwargs: dict[str, Any]
    #: The names of the arguments that are batched, or that have an item that is.
    batched: frozenset[str]
    #: For each batched list of arrays, which of its items are.
    item_batched: Mapping[str, tuple[bool, ...]] = field(
        default_factory=dict[str, tuple[bool, ...]]
    )
    #: What the declaration has in parentheses after the name of the rule.
    parameters: tuple[str, ...] = ()
    #: What `vmap` was told of random numbers.
    randomness: Randomness = "error"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all arguments, in the order of the schema."""
        return argument_names(self.op)

    @property
    def values(self) -> dict[str, Any]:
        """All arguments by name, in a new dict."""
        named = dict(zip(self.names, self.args, strict=False))
        return named | self.kwargs

    def run(self, /, **changed: Any) -> Any:
        """Call the operator with some of the arguments changed."""
        positional = [
            changed.pop(name, value)
            for name, value in zip(self.names, self.args, strict=False)
        ]
        return self.op(*positional, **{**self.kwargs, **changed})

    def with_op(self, op: OpOverload, values: Mapping[str, Any]) -> BatchedCall:
        """Return the call of another overload, with those of the values it takes."""
        schema = op.schema
        return BatchedCall(
            op,
            self.size,
            tuple([values[arg.name] for arg in schema.positional]),
            {arg.name: values[arg.name] for arg in schema.keyword_only},
            self.batched & frozenset(argument_names(op)),
            self.item_batched,
            self.parameters,
            self.randomness,
        )


@dataclass(frozen=True, slots=True)
class Unbatched:
    """A result that is the same for every item: an array without the batch, or none."""

    value: Any


@lru_cache(maxsize=4096)
def argument_names(op: OpOverload) -> tuple[str, ...]:
    """Return the names of the arguments of an overload, in order."""
    return tuple(arg.name for arg in op.schema.arguments)


@lru_cache(maxsize=4096)
def array_names(op: OpOverload) -> tuple[str, ...]:
    """Return the names of the arguments that are single arrays, in order."""
    return tuple(
        arg.name
        for arg in op.schema.arguments
        if arg.type.base.name == "Tensor" and "[" not in str(arg.type)
    )


@lru_cache(maxsize=4096)
def written_names(op: OpOverload) -> tuple[str, ...]:
    """Return the names of the arguments that an overload writes to, in order."""
    return tuple(arg.name for arg in op.schema.arguments if arg.is_write)
