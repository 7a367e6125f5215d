"""The Python dispatcher: a call while it is on, beside PyTorch's, and calls by key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import keyslot

from .. import arrays, packages
from ..machine import installed
from ..measure import Effort, Statement, compare
from ..tables import Column, Table
from .calls import Case

COLUMNS: Final = (
    Column("call"),
    Column("ns", ".0f"),
    Column("above direct, ns", ".0f"),
    Column("x direct", ".2f"),
    Column("middle half"),
    Column("goal"),
)


def measure(effort: Effort) -> list[Table]:
    """Measure keyslot's Python dispatcher and, where torch is installed, PyTorch's."""
    ops: Any = packages.load_calls()
    with (
        keyslot.register_array_type(arrays.Left, "PrivateUse1"),
        keyslot.Library(packages.CALLS, "IMPL") as library,
    ):
        library.py_impl("many", _python_kernel, "PrivateUse1")
        table = _table("The Python dispatcher and calls by key", _own(ops), effort)
    if installed("torch") is None:
        table.notes.append("torch is not installed")
        return [table]
    return [table, _table("PyTorch's Python dispatcher", _torch(), effort)]


def _python_kernel(a: Any, b: Any) -> Any:
    return a


def _table(title: str, cases: Iterator[Case], effort: Effort) -> Table:
    table = Table(title, COLUMNS)
    listed = list(cases)
    results = compare([(case.direct, case.call) for case in listed], effort)
    for case, found in zip(listed, results, strict=True):
        nanoseconds = (found.seconds * 1e9, found.extra * 1e9)
        table.rows.append(
            (case.name, *nanoseconds, found.ratio, found.spread, case.goal)
        )
    return table


def _own(ops: Any) -> Iterator[Case]:
    a = arrays.Left()
    keys = keyslot.DispatchKeySet(["PrivateUse1"])
    names = {"a": a, "b": arrays.Left(), "keys": keys, "key": "PrivateUse1"}
    direct = Statement("op(a, b)", {**names, "op": arrays.first})
    on = keyslot.enable_python_dispatcher

    def call(op: Any, source: str, **context: Any) -> Statement:
        statement = Statement(source, {**names, "op": op}, **context)
        assert statement.evaluate() is a
        return statement

    plain, python, overload = ops.pair, ops.many, ops.pair.default
    yield Case(
        "on, ordinary kernel", direct, call(plain, "op(a, b)", context=on), "<= 25"
    )
    yield Case(
        "on, Python kernel", direct, call(python, "op(a, b)", context=on), "<= 25"
    )
    yield Case(
        "on, overload instance", direct, call(overload, "op(a, b)", context=on), "<= 25"
    )
    yield Case(
        "on, redispatch",
        direct,
        call(overload, "op.redispatch(keys, a, b)", context=on),
    )
    yield Case("off, redispatch", direct, call(overload, "op.redispatch(keys, a, b)"))
    yield Case("off, op.at(key, ...)", direct, call(overload, "op.at(key, a, b)"))
    yield Case(
        "off, inside another guard",
        direct,
        call(plain, "op(a, b)", context=lambda: keyslot.exclude_keys("Autocast")),
    )


def _torch() -> Iterator[Case]:
    """Yield PyTorch's calls; direct is the kernel, or the call with it off."""
    import torch
    from torch._dispatch.python import enable_python_dispatcher as on

    tensors = {"a": torch.zeros(()), "b": torch.ones(())}
    library = torch.library.Library("keyslot_bench_python", "FRAGMENT")
    library.define("op(Tensor a, Tensor b) -> Tensor")
    library.impl("op", _python_kernel, "CPU")
    op = torch.ops.keyslot_bench_python.op.default
    op.py_impl(torch.DispatchKey.CPU)(_python_kernel)
    own = {**tensors, "op": op, "library": library}
    direct = Statement("op(a, b)", {**tensors, "op": _python_kernel})
    yield Case("on, Python kernel", direct, Statement("op(a, b)", own, context=on))
    aten = {**tensors, "op": torch.ops.aten.mul.Tensor}
    yield Case(
        "on, aten.mul.Tensor; direct is the call with it off",
        Statement("op(a, b)", aten),
        Statement("op(a, b)", aten, context=on),
    )
