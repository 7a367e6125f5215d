"""`keyslot.torch.aten` inside of PyTorch's transforms, compared with PyTorch alone.

The functions are PyTorch's own with a sample each; what is transformed is the operator
behind the function, and the function itself with the Python dispatcher on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_unflatten

from .aten_calls import INFOS, Call, samples, seed
from .aten_routes import ROUTES, Route, operator, pytorch, pytorch_interposed
from .outcomes import Outcome, differences, outcome, refusal

Function = Callable[..., Any]
Transform = Callable[[Function, Call], Outcome]

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("float32_and_filled_memory"),
]

#: Functions whose operator has the function's own arguments, with their first sample.
OPERATORS = [info for info in INFOS if hasattr(torch.ops.aten, info.aten_name)]
#: Every so many of them is traced, or compiled: that takes long.
TRACED_EVERY, COMPILED_EVERY = 8, 50


def mapped(function: Function, call: Call) -> Outcome:
    """Return what a function gives mapped over tensors stacked from equal ones."""
    flat, structure = tree_flatten((call.args, call.kwargs))
    flat = [torch.stack([x, x]) if _is_tensor(x) else x for x in flat]
    dims = tuple(0 if _is_tensor(x) else None for x in flat)

    def of_leaves(*leaves: Any) -> Any:
        args, kwargs = tree_unflatten(leaves, structure)
        return function(*args, **kwargs)

    transformed = torch.func.vmap(of_leaves, dims, randomness="same")
    return outcome(transformed, Call(call.name, tuple(flat), {}))


def differentiated(function: Function, call: Call) -> Outcome:
    """Return the gradient of the sum of a function's first result."""

    def total(first: Any, *args: Any) -> Any:
        leaves, _ = tree_flatten(function(first, *args, **call.kwargs))
        return leaves[0].sum()

    return outcome(torch.func.grad(total), Call(call.name, call.args, {}))


def traced(function: Function, call: Call) -> Outcome:
    """Return the graph of a function with symbolic shapes."""
    seed()
    try:
        graph = make_fx(
            lambda *args: function(*args, **call.kwargs), tracing_mode="symbolic"
        )(*call.args)
    except Exception as error:
        return refusal("tracing", error)
    return {"graph": graph.code}


def compiled(function: Function, call: Call) -> Outcome:
    """Return what a function gives once it is compiled."""
    torch._dynamo.reset()
    return outcome(torch.compile(function, backend="aot_eager"), call)


def first_call(info: Any) -> Call | None:
    """Return the call that the first sample makes of an operator, if it takes that."""
    for sample in samples(info):
        call = Call(info.aten_name, (sample.input, *sample.args), sample.kwargs)
        with suppress(Exception):
            operator(torch.ops.aten, call.name)(*call.copy().args, **call.kwargs)
            return call
        return None
    return None


def compared(aten: Any, transform: Transform, call: Call) -> Iterator[str]:
    """Yield what differs between PyTorch and the ways through aten."""

    def made(route: Route) -> Outcome:
        found = route.operator(aten, call.name)
        with route.context():
            return transform(found, call.copy())

    theirs = made(pytorch)
    for name, route in ROUTES.items():
        ours = made(route)
        found = [*differences(ours, theirs)]
        if found and route.is_interposed:
            found = [*differences(ours, made(pytorch_interposed))]
        for line in found:
            yield f"{name}: {line}"


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def every(count: int) -> pytest.MarkDecorator:
    """Parametrize a test with every so many functions."""
    return pytest.mark.parametrize(
        "info", OPERATORS[::count], ids=lambda info: info.full_name
    )


@every(1)
def test_mapped(info: Any, aten: Any) -> None:
    """Vmap gives the same through aten, and refuses the same."""
    check(info, aten, mapped)


@every(1)
def test_differentiated(info: Any, aten: Any) -> None:
    """torch.func.grad gives the same through aten, and refuses the same."""
    check(info, aten, differentiated)


@every(TRACED_EVERY)
def test_traced(info: Any, aten: Any) -> None:
    """make_fx gives the same graph through aten, with symbolic shapes."""
    check(info, aten, traced)


def test_tracing_resolves_overloads_once(aten: Any) -> None:
    """Overloads are found by conversion, which reads tensors: the graph shows it."""
    (info,) = (info for info in OPERATORS if info.full_name == "tensor_split")
    check(info, aten, traced)


@every(COMPILED_EVERY)
def test_compiled(info: Any, aten: Any) -> None:
    """Compiled code that calls aten does what it does calling PyTorch."""
    check(info, aten, compiled)


def check(info: Any, aten: Any, transform: Transform) -> None:
    """Compare what a transform of an operator gives with and without aten."""
    call = first_call(info)
    if call is None or not hasattr(aten, call.name):
        pytest.skip("the function's arguments are not those of its operator")
    assert not [*compared(aten, transform, call)]
