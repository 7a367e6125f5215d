"""Gradients by formulas: what a call keeps, and what its backward pass computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, final

import torch
from torch.utils import _pytree

from ....runtime.errors import NoGradientError
from ....runtime.formula import Formula, parse_formula
from .definition import Definition, Function


@final
class Formulas:
    """The formulas of an operator, as PyTorch's autograd wants to call them."""

    __slots__ = ("_definition", "_formulas", "_needed", "_positional")

    def __init__(self, definition: Definition) -> None:
        """Read the formulas.

        Raises NoGradientError where one calls what PyTorch does not have.
        """
        texts = definition.exported.derivatives
        formulas = {name: parse_formula(text) for name, text in texts.items()}
        for formula in formulas.values():
            _check_functions(formula, definition)
        self._definition: Final = definition
        self._formulas: Final = formulas
        #: The values that any formula names.
        self._needed: Final = {
            value for formula in formulas.values() for value in formula.values
        }
        self._positional: Final = definition.schema.positional

    def setup_context(
        self,
        ctx: Any,
        inputs: tuple[Any, ...],
        output: Any,
        keyword_only_inputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep what formulas name; tensors where autograd watches over them."""
        values = self._definition.named(inputs, keyword_only_inputs or {})
        values.update(self._results(output))
        kept = {name: value for name, value in values.items() if name in self._needed}
        leaves, ctx.form = _pytree.tree_flatten(kept)
        is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
        pairs = [*zip(leaves, is_tensor, strict=True)]
        ctx.save_for_backward(*(leaf if saved else None for leaf, saved in pairs))
        ctx.others = [None if saved else leaf for leaf, saved in pairs]

    def backward(self, ctx: Any, *grads: Any) -> tuple[Any, ...]:
        """Return the gradient of each positional argument, None where there is none."""
        pairs = zip(ctx.saved_tensors, ctx.others, strict=True)
        leaves = [other if saved is None else saved for saved, other in pairs]
        values = _pytree.tree_unflatten(leaves, ctx.form)
        values.update(grad=grads[0], grads=grads)
        wanted = zip(self._positional, ctx.needs_input_grad, strict=True)
        return tuple(
            (
                self._formulas[argument.name].evaluate(values, _function)
                if is_wanted and argument.name in self._formulas
                else None
            )
            for argument, is_wanted in wanted
        )

    def _results(self, output: Any) -> Iterator[tuple[str, Any]]:
        """Yield the results under every name that formulas may have for them."""
        returns = self._definition.schema.returns
        results = output if len(returns) > 1 else (output,)
        for place, (ret, result) in enumerate(zip(returns, results, strict=True)):
            yield f"result{place}", result
            if len(returns) == 1:
                yield "result", result
            if ret.name is not None:
                yield ret.name, result


def _function(name: str) -> Function:
    """Return a function of PyTorch's by its name."""
    found: Function = getattr(torch, name)
    return found


def _check_functions(formula: Formula, definition: Definition) -> None:
    for name in formula.functions:
        if not callable(getattr(torch, name, None)):
            raise NoGradientError(
                definition.qualified,
                f"its formula {formula.text!r} calls {name!r}, and torch has no such"
                " function",
            )
