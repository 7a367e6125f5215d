"""Gradients by formulas: what a call keeps, and what its backward pass computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, final

import torch
from torch.utils import _pytree

from ..runtime.errors import NoGradientError
from ..runtime.formula import Formula, parse_formula
from .definition import Definition, Function


class GradientFormula(Protocol):
    """A formula, and the arguments whose gradients it gives: several as a tuple."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments."""
        ...

    @property
    def values(self) -> frozenset[str]:
        """The names of arguments, results and gradients that it needs."""
        ...

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Return the gradient, or a sequence of them for several arguments."""
        ...


@final
class Formulas:
    """The formulas of an operator, as PyTorch's autograd wants to call them."""

    __slots__ = ("_definition", "_formulas", "_needed", "_not_differentiable")

    def __init__(
        self,
        definition: Definition,
        formulas: Sequence[GradientFormula],
        differentiable: Sequence[bool] = (),
    ) -> None:
        """Take formulas, and perhaps for each result whether it is differentiable."""
        self._definition: Final = definition
        self._formulas: Final = formulas
        #: The values that any formula names.
        self._needed: Final = {
            value for formula in formulas for value in formula.values
        }
        self._not_differentiable: Final = [
            place for place, flag in enumerate(differentiable) if not flag
        ]

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
        names = [argument.name for argument in self._definition.schema.positional]
        ctx.real = [_is_real(values.get(name)) for name in names]
        leaves, ctx.form = _pytree.tree_flatten(kept)
        is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
        pairs = [*zip(leaves, is_tensor, strict=True)]
        ctx.save_for_backward(*(leaf if saved else None for leaf, saved in pairs))
        ctx.others = [None if saved else leaf for leaf, saved in pairs]
        if self._not_differentiable:
            results = self._several(output)
            marked = [results[place] for place in self._not_differentiable]
            ctx.mark_non_differentiable(*_pytree.tree_leaves(marked))

    def backward(self, ctx: Any, *grads: Any) -> tuple[Any, ...]:
        """Return the gradient of each positional argument, None where there is none."""
        pairs = zip(ctx.saved_tensors, ctx.others, strict=True)
        leaves = [other if saved is None else saved for saved, other in pairs]
        values = _pytree.tree_unflatten(leaves, ctx.form)
        values.update(grad=grads[0], grads=grads)
        names = [argument.name for argument in self._definition.schema.positional]
        wanted = dict(zip(names, ctx.needs_input_grad, strict=True))
        found: dict[str, Any] = {}
        for formula in self._formulas:
            if not any(_is_wanted(wanted[name]) for name in formula.arguments):
                continue
            made = formula.evaluate(values)
            several = made if len(formula.arguments) > 1 else (made,)
            found.update(zip(formula.arguments, several, strict=True))
        pairs = zip(names, ctx.real, strict=True)
        return tuple(_each(found.get(name), wanted[name], real) for name, real in pairs)

    def _several(self, output: Any) -> tuple[Any, ...]:
        return output if len(self._definition.schema.returns) > 1 else (output,)

    def _results(self, output: Any) -> Iterator[tuple[str, Any]]:
        """Yield the results under every name that formulas may have for them."""
        returns = self._definition.schema.returns
        results = self._several(output)
        for place, (ret, result) in enumerate(zip(returns, results, strict=True)):
            yield f"result{place}", result
            if len(returns) == 1:
                yield "result", result
            if ret.name is not None:
                yield ret.name, result


def _is_wanted(wanted: Any) -> bool:
    """Whether an argument, or an item of a list, needs a gradient."""
    return any(wanted) if isinstance(wanted, (list, tuple)) else bool(wanted)


def _is_real(value: Any) -> Any:
    """Whether an argument is a tensor of real numbers, or each item of a list."""
    if isinstance(value, (list, tuple)):
        return [_is_real(item) for item in value]
    return isinstance(value, torch.Tensor) and not value.is_complex()


def _each(grad: Any, wanted: Any, real: Any) -> Any:
    """Return the gradient of an argument in the form that the argument has.

    Shape and dtype are seen to by PyTorch, but a real number has a real gradient.
    """
    if isinstance(wanted, (list, tuple)):
        grads = [None] * len(wanted) if grad is None else grad
        return [_each(*item) for item in zip(grads, wanted, real, strict=True)]
    if not wanted or grad is None:
        return None
    return torch.real(grad) if real and grad.is_complex() else grad


@final
class TorchFormula:
    """A formula that is written for PyTorch, over its functions."""

    __slots__ = ("_formula", "arguments", "values")

    def __init__(self, argument: str, text: str, definition: Definition) -> None:
        """Read a formula.

        Raises NoGradientError where it calls what PyTorch does not have.
        """
        self._formula: Final = parse_formula(text)
        _check_functions(self._formula, definition)
        self.arguments: Final = (argument,)
        self.values: Final = frozenset(self._formula.values)

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Return the gradient."""
        return self._formula.evaluate(values, _function)


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
