"""PyTorch's operators under keyslot's Python dispatcher, beside PyTorch's own.

Both read the handler of a key from a cache and call it. Tensors have an autograd key,
as they have by default, so a call passes two keys that have kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from .. import packages
from ..machine import installed
from ..measure import Effort, Statement, compare
from ..tables import Column, Table
from .calls import Case

COLUMNS: Final = (
    Column("call"),
    Column("ns", ".0f"),
    Column("x PyTorch's", ".2f"),
    Column("middle half"),
    Column("goal"),
)
#: How many multiplications `make_fx` traces: those of pull request 85133.
MULTIPLICATIONS: Final = 1000


def measure(effort: Effort) -> list[Table]:
    """Measure calls and tracing; nothing where torch is not installed."""
    if installed("torch") is None:
        missing = Table("PyTorch's operators, the Python dispatcher on", COLUMNS)
        missing.notes.append("torch is not installed")
        return [missing]
    aten = packages.load_aten()
    calls = _table(
        "PyTorch's operators, the Python dispatcher on", _calls(aten), effort
    )
    calls.notes.append(
        "Each row beside the same call under PyTorch's own dispatcher, but for those"
        " that name something else"
    )
    return [calls, _table("Tracing", _tracing(aten, effort), effort)]


def _table(title: str, cases: Iterator[Case], effort: Effort) -> Table:
    table = Table(title, COLUMNS)
    listed = list(cases)
    results = compare([(case.direct, case.call) for case in listed], effort)
    for case, found in zip(listed, results, strict=True):
        row = (case.name, found.seconds * 1e9, found.ratio, found.spread, case.goal)
        table.rows.append(row)
    return table


def _calls(aten: Any) -> Iterator[Case]:
    import torch
    from torch._dispatch.python import enable_python_dispatcher as theirs

    from keyslot.torch import enable_python_dispatcher as ours

    tensors = {"a": torch.ones(4), "b": torch.ones(4)}

    def case(name: str, op: Any, native: Any, goal: str = "") -> Case:
        direct = Statement("op(a, b)", {**tensors, "op": native}, context=theirs)
        call = Statement("op(a, b)", {**tensors, "op": op}, context=ours)
        assert torch.equal(direct.evaluate(), call.evaluate())
        return Case(name, direct, call, goal)

    mul, native = aten.mul.Tensor, torch.ops.aten.mul.Tensor
    yield case("the handler is a key", mul, native, "<= 0.7")
    with torch.inference_mode():
        tensors = {"a": torch.ones(4), "b": torch.ones(4)}
        # Without autograd: one key with a kernel, not two.
        yield case("the same, of inference tensors", mul, native, "<= 0.7")
    tensors = {"a": torch.ones(4), "b": torch.ones(4)}
    _register(aten.sub.Tensor, torch.ops.aten.div.Tensor)
    yield case(
        "the handler is a Python function",
        aten.sub.Tensor,
        torch.ops.aten.div.Tensor,
        "<= 0.7",
    )
    off = Statement("op(a, b)", {**tensors, "op": native})
    yield Case(
        "off, beside PyTorch's call", off, Statement("op(a, b)", {**tensors, "op": mul})
    )
    yield from _two_steps(mul, tensors, ours)


def _register(op: Any, native: Any) -> None:
    """Give both a Python kernel that does nothing, at the key that comes first."""
    import torch

    def kernel(a: Any, b: Any, **named: Any) -> Any:
        return a

    op.py_impl("AutogradCPU")(kernel)
    native.py_impl(torch.DispatchKey.AutogradCPU)(kernel)


def _two_steps(
    op: Any, tensors: dict[str, Any], on: Callable[[], Any]
) -> Iterator[Case]:
    """Yield a call whose handler is resolved, beside one that finds it."""

    def forget() -> None:
        op.cache.clear()
        op.empty_slot("AutogradCPU")

    found = Statement("op(a, b)", {**tensors, "op": op}, context=on)
    names = {**tensors, "op": op, "forget": forget}
    resolved = Statement("forget(); op(a, b)", names, context=on)
    yield Case("resolved at each call, beside one with the handler", found, resolved)


def _tracing(aten: Any, effort: Effort) -> Iterator[Case]:
    import torch
    from torch._dispatch.python import enable_python_dispatcher as theirs
    from torch.fx.experimental.proxy_tensor import make_fx

    from keyslot.torch import enable_python_dispatcher as ours

    count = 20 if effort.smoke else MULTIPLICATIONS
    x = torch.randn(10, 20)

    def traced(op: Any) -> Callable[[], Any]:
        def multiply(x: Any) -> Any:
            for _ in range(count):
                x = op(x, x)
            return x

        return lambda: make_fx(multiply, tracing_mode="symbolic")(x)

    def statement(op: Any, on: Callable[[], Any]) -> Statement:
        return Statement("trace()", {"trace": traced(op)}, context=on, unroll=1)

    native, mul = torch.ops.aten.mul.Tensor, aten.mul.Tensor
    name = f"make_fx, symbolic, {count} multiplications"
    yield Case(name, statement(native, theirs), statement(mul, ours), "<= 1.0")
