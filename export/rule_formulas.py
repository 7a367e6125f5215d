"""Gradients by the derivatives of an entry, which are over operators of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

import torch
from torch.utils import _pytree

from ..transforms.autograd.formulas import compile_formula
from ..transforms.autograd.plan import GRAD, GRADS, Part, Plan
from .arrays import unwrapped, wrapped
from .aten import AtenMode
from .definition import Definition
from .formulas import Formulas


def rule_formulas(definition: Definition) -> Formulas:
    """Return the formulas of an operator's entry.

    Raises FormulaError where one calls what is neither an operator nor a function of
    the module that YAML names for formulas.
    """
    plan = Plan(definition.op)
    formulas = [RuleFormula(plan, part) for part in plan.backward]
    return Formulas(definition, formulas, plan.differentiable)


@final
class RuleFormula:
    """A formula over operators of ours, which are PyTorch's while it is evaluated."""

    __slots__ = ("_code", "_functions", "_is_of_list", "arguments", "values")

    def __init__(self, plan: Plan, part: Part) -> None:
        arrays = plan.arrays | {GRAD, *plan.results}
        expression = compile_formula(plan.op, part.text, arrays, real=False)
        # It holds calls of what it names, and what the formula was checked to hold.
        self._code: Final = compile(expression.source, "<formula>", "eval")
        self._functions: Final = expression.functions
        self._is_of_list: Final = plan.schema.returns[0].type.kind == "list"
        self.arguments: Final = part.arguments
        self.values: Final = expression.values

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Return the gradient, or a sequence of them for several arguments."""
        named = {name: wrapped(values[name]) for name in self.values}
        if self._is_of_list and GRADS in named:
            # PyTorch has one gradient for the result: a list.
            (named[GRADS],) = named[GRADS]
        with AtenMode(_device_of(values)):
            made = eval(self._code, {**self._functions, **named})
        return unwrapped(made)


def _device_of(values: Mapping[str, Any]) -> torch.device:
    leaves = _pytree.tree_leaves([*values.values()])
    return next(leaf.device for leaf in leaves if isinstance(leaf, torch.Tensor))
