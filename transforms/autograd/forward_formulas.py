"""Formulas of forward mode, compiled for calls in which some tangents are zero."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from ... import generated as ops
from ..arrays import is_array
from .formulas import compile_formula
from .plan import GRAD, Plan

#: Called with values by name.
Evaluator = Callable[[Mapping[str, Any]], Any]


def backward_formula(plan: Plan, text: str) -> Evaluator:
    """Return a formula of reverse mode, of the gradient among the values."""
    return _compiled(plan, text, plan.arrays | {GRAD, *plan.results})[0]


def forward_formula(
    plan: Plan, text: str, missing: frozenset[str]
) -> Callable[..., Any]:
    """Return a formula of forward mode for calls in which some tangents are zero.

    ``missing`` are the arguments without a tangent. It is called with the values, the
    tangents and the results by name, and returns None where its tangent is zero.
    """
    zeros = frozenset(f"{name}_t" for name in missing)
    tree = _DropZeros(zeros).visit(ast.parse(text.strip(), mode="eval").body)
    if tree is None:
        return _no_tangent
    arrays = {f"{name}_{kind}" for name in plan.arrays for kind in "pt"}
    arrays |= plan.arrays | set(plan.results)
    source = ast.unparse(ast.fix_missing_locations(tree))
    compute, used = _compiled(plan, source, arrays)

    def evaluate(values: Any, tangents: Any, results: Any) -> Any:
        known = {**values, **results}
        known |= {f"{name}_p": value for name, value in values.items()}
        known |= {f"{name}_t": value for name, value in tangents.items()}
        for name in missing:
            if f"{name}_t" in used:
                known[f"{name}_t"] = zeros_like(values[name])
        return compute(known)

    return evaluate


def zeros_like(value: Any) -> Any:
    """Return the tangent that is zero of an argument; for a list those of its items."""
    if type(value) in (list, tuple):
        return [zeros_like(item) for item in value]
    if not is_array(value):
        return 0 if isinstance(value, (int, float, complex)) else value
    return ops.zeros_like(value)


def _compiled(
    plan: Plan, text: str, arrays: Collection[str]
) -> tuple[Evaluator, Collection[str]]:
    """Compile a formula; return it, and the names of the values that it uses."""
    expression = compile_formula(plan.op, text, frozenset(arrays), real=False)
    code = compile(expression.source, f"<keyslot formula of {plan.op.name}>", "eval")
    functions, used = dict(expression.functions), expression.values
    return lambda values: eval(code, functions, {n: values[n] for n in used}), used


def _no_tangent(values: Any, tangents: Any, results: Any) -> None:
    del values, tangents, results


class _DropZeros(ast.NodeTransformer):
    """Leaves out of a formula that is linear in the tangents what is zero.

    Visiting returns None for an expression that is.
    """

    def __init__(self, zeros: frozenset[str]) -> None:
        self._zeros: Final = zeros

    def visit_Name(self, node: ast.Name) -> Any:
        return None if node.id in self._zeros else node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.visit(node.left), self.visit(node.right)
        if left is None and right is None:
            return None
        if isinstance(node.op, ast.Add) and (left is None or right is None):
            return left or right
        if isinstance(node.op, ast.Sub) and right is None:
            return left
        if isinstance(node.op, ast.Sub) and left is None:
            return ast.UnaryOp(ast.USub(), right)
        if left is None or right is None:
            return None
        return ast.BinOp(left, node.op, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        return None if operand is None else ast.UnaryOp(node.op, operand)

    def visit_Call(self, node: ast.Call) -> Any:
        named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        tangents = {name for name in named if name.endswith("_t")}
        if tangents and tangents <= self._zeros:
            return None
        # Some are zero and some are not: the function is given zeros.
        return node
