"""The formulas of the operators that keyslot ships give PyTorch's own gradients.

So does what exported operators take from entries: formulas and the functions they call
are computed by PyTorch's operators, on tensors.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils import _pytree

from keyslot import ops
from keyslot.export.rule_formulas import RuleFormula
from keyslot.transforms.autograd.plan import Plan

from .aten_calls import INFOS, Call, calls_of


def find(name: str) -> Any:
    """Return the overload of a name with formulas, None where there is none."""
    operator, _, overload = name.partition(".")
    found = getattr(getattr(ops, operator, None), overload or "default", None)
    if found is None or not found.derivatives or found.schema.is_mutable:
        return None
    return found


def wants(value: Any) -> bool:
    """Whether a value is a tensor whose gradient is wanted."""
    return isinstance(value, torch.Tensor) and value.requires_grad


def leaf(value: Any) -> Any:
    """Return a tensor of floats as one whose gradient is wanted, the rest as it is."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.detach().clone().requires_grad_() if is_float else value


def results_of(call: Call) -> list[Any]:
    """Return what PyTorch's overload returns."""
    operator, _, overload = call.name.partition(".")
    function = getattr(getattr(torch.ops.aten, operator), overload)
    made = function(*call.args, **call.kwargs)
    return list(made) if isinstance(made, (tuple, list)) else [made]


def arguments_of(op: Any, call: Call) -> dict[str, Any]:
    """Return all arguments by name, defaults too."""
    given = {argument.name: argument.default for argument in op.schema.arguments}
    names = [argument.name for argument in op.schema.positional]
    return {**given, **dict(zip(names, call.args, strict=False)), **call.kwargs}


def gradients(op: Any, call: Call, results: list[Any], grads: list[Any]) -> Any:
    """Return what the formulas give for the tensors whose gradients are wanted."""
    plan = Plan(op)
    values = arguments_of(op, call)
    is_list = op.schema.returns[0].type.kind == "list"
    named = zip(plan.results, [results] if is_list else results, strict=True)
    whole = [grads] if is_list else grads
    everything = {**values, **dict(named), "grad": whole[0], "grads": whole}
    found: dict[str, Any] = {}
    for part in plan.backward:
        leaves = _pytree.tree_leaves([values[name] for name in part.arguments])
        if any(map(wants, leaves)):
            made = RuleFormula(plan, part).evaluate(everything)
            several = made if len(part.arguments) > 1 else (made,)
            found.update(zip(part.arguments, several, strict=True))
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            items = found.get(name, [None] * len(value))
            yield from (g for g, v in zip(items, value, strict=True) if wants(v))
        elif wants(value):
            yield found.get(name)


def check(op: Any, call: Call) -> None:
    """Compare the gradients of a call, unless PyTorch refuses it."""
    try:
        results = results_of(call)
    except (RuntimeError, IndexError, ValueError):
        return
    grads = [(torch.randn_like if wants(r) else torch.zeros_like)(r) for r in results]
    ends = [place for place, result in enumerate(results) if wants(result)]
    wanted = [each for each in call.tensors if each.requires_grad]
    if not ends:
        return
    theirs = torch.autograd.grad(
        [results[place] for place in ends],
        wanted,
        [grads[place] for place in ends],
        materialize_grads=True,
    )
    ours = gradients(op, call, results, grads)
    for our, their in zip(ours, theirs, strict=True):
        found = torch.zeros_like(their) if our is None else our
        # Shape and dtype are seen to by PyTorch.
        found = found.sum_to_size(their.shape).to(their.dtype)
        torch.testing.assert_close(found, their, equal_nan=True)


CHECKED = [info for info in INFOS if hasattr(ops, info.aten_name or "")]


@pytest.mark.parametrize("info", CHECKED, ids=lambda info: info.formatted_name)
def test_formulas_give_pytorchs_gradients(info: Any) -> None:
    """In all calls that PyTorch's samples of a function make of our operators."""
    torch.manual_seed(0)
    for call in calls_of(info):
        op = find(call.name)
        if op is not None:
            args, kwargs = _pytree.tree_map(leaf, (call.args, call.kwargs))
            check(op, Call(call.name, args, kwargs))
