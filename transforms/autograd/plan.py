"""What the derivatives in YAML mean for the calls of one operator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..source import Parameter, parameters_of
from .formulas import Expression, compile_formula

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

#: The gradient of the result, and those of several results as a list.
GRAD: Final = "grad"
GRADS: Final = "grads"


@dataclass(frozen=True, slots=True)
class Part:
    """A formula, and the arguments whose gradients it gives: several as a tuple."""

    arguments: tuple[str, ...]
    text: str


class Plan:
    """The derivatives of one operator."""

    def __init__(self, op: OpOverload) -> None:
        self.op: Final = op
        self.schema: Final = op.schema
        self.parameters: Final = parameters_of(op.schema)
        names = result_names(op)
        #: The names of the results in formulas.
        self.results: Final = names
        listed = [
            Part(tuple(key.replace(" ", "").split(",")), text)
            for key, text in op.derivatives.items()
        ]
        #: The formulas of gradients.
        self.backward: Final = [p for p in listed if p.arguments[0] not in names]
        #: Those of forward mode, by result.
        self.forward: Final = {
            part.arguments[0]: part.text
            for part in listed
            if part.arguments[0] in names
        }
        #: Which results can be differentiated.
        self.differentiable: Final = op.output_differentiability or (True,) * len(names)

    @property
    def has_several_gradients(self) -> bool:
        """Whether backward starts from several arrays: several results, or a list."""
        return len(self.results) > 1 or self.schema.returns[0].type.kind == "list"

    @cached_property
    def tracked(self) -> tuple[Parameter, ...]:
        """The arguments that have gradients; arrays first, lists after them."""
        named = {name for part in self.backward for name in part.arguments}
        found = [p for p in self.parameters if p.argument.name in named]
        return tuple(sorted(found, key=lambda p: p.is_list))

    def expressions(self, real: bool) -> Iterator[tuple[Part, Expression]]:
        """Yield the formula of each part as source."""
        arrays = self.arrays | {GRAD, *self.results}
        for part in self.backward:
            yield part, compile_formula(self.op, part.text, arrays, real, self.arrays)

    @cached_property
    def arrays(self) -> frozenset[str]:
        """The names of the arguments that are arrays for certain."""
        return frozenset(p.argument.name for p in self.parameters if p.is_array)


def result_names(op: OpOverload) -> tuple[str, ...]:
    """Return what formulas call the results of an operator."""
    returns = op.schema.returns
    if len(returns) == 1:
        return (returns[0].name or "result",)
    return tuple(ret.name or f"result{n}" for n, ret in enumerate(returns))


def needed(plan: Plan, expressions: list[Any]) -> tuple[list[Parameter], list[str]]:
    """Return the arguments and the results that formulas name."""
    named = {name for _, expression in expressions for name in expression.values}
    return (
        [p for p in plan.parameters if p.argument.name in named],
        [name for name in plan.results if name in named],
    )
