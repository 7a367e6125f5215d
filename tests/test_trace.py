"""``dispatch_trace``: one line for every call while it is on."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from keyslot import (
    DispatchKeySet,
    Library,
    dispatch_trace,
    enable_python_dispatcher,
    include_keys,
)
from keyslot.transforms import jacfwd, vjp, vmap

from .calling import a, define, last, ops, reports

KEYS = "AutogradNumPy, ADInplaceOrView, BackendSelect, NumPy"
COMPOSITE = "keyslot.kernels.composite:square from schemas/ops/composite.yaml"
DECLARED = "schemas/ops/arithmetic.yaml"


def test_calls_within_calls() -> None:
    """Each call is a line: operator, types, keys, the key chosen, kernel and source."""
    lines: list[str] = []
    with dispatch_trace(lines.append):
        ops.square(a)
        ops.mul(a, 2)
    ops.square(a)
    assert lines == [
        f"keyslot::square(numpy.ndarray) [{KEYS}] -> AutogradNumPy: kernel at"
        f" CompositeImplicitAutograd: {COMPOSITE} (keyslot::square)",
        f"  keyslot::mul.Tensor(numpy.ndarray, numpy.ndarray) [{KEYS}] -> NumPy:"
        f" kernel at NumPy: keyslot.kernels.numpy:arithmetic.mul from {DECLARED}"
        " (keyslot::mul.Tensor)",
        f"keyslot::mul.Scalar(numpy.ndarray, int) [{KEYS}] -> NumPy: kernel at NumPy:"
        f" numpy:multiply from {DECLARED} (keyslot::mul.Scalar)",
    ]


def test_default_is_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Without an argument the lines go to standard error."""
    with dispatch_trace():
        ops.exp(a)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("keyslot::exp(numpy.ndarray) [")
    assert len(printed.err.splitlines()) == 1


def traced(call: Any) -> list[str]:
    """Return what a call leaves in the trace, without the sites of kernels."""
    lines: list[str] = []
    with dispatch_trace(lines.append):
        call()
    return [line.partition(" from ")[0].partition("] -> ")[2] for line in lines]


def test_source_of_what_is_called(library: Library) -> None:
    """The line says whether a kernel, a fallback or a Python kernel is called."""
    op: Any = define(library, "f(Tensor x) -> Tensor", last)
    name = f"{last.__module__}:last"
    assert traced(lambda: op(a)) == [f"NumPy: kernel at NumPy: {name}"]
    assert traced(lambda: op.at("NumPy", a)) == [f"NumPy: kernel at NumPy: {name}"]
    keyset = DispatchKeySet(["NumPy", "AutogradNumPy"])
    assert traced(lambda: op.redispatch(keyset, a)) == [
        f"NumPy: kernel at NumPy: {name}"
    ]
    library.impl(op, last, "CompositeExplicitAutograd")
    with library.fallback(last, "Python"), include_keys("Python"):
        assert traced(lambda: op(a)) == [f"Python: fallback at Python: {name}"]
    library.py_impl(op, last, "NumPy")
    assert traced(lambda: op(a)) == [f"NumPy: kernel at NumPy: {name}"]
    with enable_python_dispatcher():
        assert traced(lambda: op(a)) == [f"NumPy: Python kernel at NumPy: {name}"]


def test_a_call_that_fails_is_traced(library: Library) -> None:
    """The line is there before the kernel runs, and the depth is right afterwards."""

    def kernel(x: Any) -> None:
        raise ZeroDivisionError

    op = define(library, "f(Tensor x) -> Tensor", kernel)

    def call() -> None:
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                op(a)

    lines: list[str] = []
    with dispatch_trace(lines.append):
        call()
    assert len(lines) == 2
    assert not any(line.startswith(" ") for line in lines)


def test_lists_show_the_types_of_their_items() -> None:
    """A list is shown with the types in it, and a device as text."""
    lines: list[str] = []
    with dispatch_trace(lines.append):
        ops.cat([a, a])
        ops.zeros([2], device="cpu")
    assert lines[0].startswith("keyslot::cat(list[numpy.ndarray], int) [")
    assert lines[1].startswith("keyslot::zeros(list[int], NoneType, NoneType, str, ")


def test_writer_may_call_operators() -> None:
    """A writer that itself calls an operator with tracing off is not traced."""
    lines: list[str] = []

    def write(line: str) -> None:
        lines.append(line)

    with dispatch_trace(write), dispatch_trace(lambda line: None):
        ops.exp(a)
    assert lines == []


def test_no_cost_when_off(library: Library) -> None:
    """A traced call leaves nothing behind that later calls go through."""
    op: Any = define(library, "f(Tensor x) -> Tensor", last)
    op(a)
    before = op.kernel_for(type(a)), dict(op.cache.handlers)
    with dispatch_trace(len):
        op(a)
    assert (op.kernel_for(type(a)), dict(op.cache.handlers)) == before


def pullback(function: Any) -> Any:
    """Return what takes the gradient of a function back."""
    return vjp(function, a)[1]


@pytest.mark.parametrize("transform", [vmap, pullback, jacfwd])
def test_calls_inside_transforms(library: Library, transform: Any) -> None:
    """They are traced like others, the first as well as the next, and no more after."""
    op = define(
        library, "f(Tensor x) -> Tensor", ops.square, "CompositeImplicitAutograd"
    )
    lines: list[str] = []
    counts: list[int] = []
    for _ in range(2):
        with dispatch_trace(lines.append):
            transform(op)(a)
        counts.append(len(lines))
        transform(op)(a)
        assert len(lines) == counts[-1]
        lines.clear()
    assert counts[0] == counts[1] > 2


def test_tracing_costs_no_memory(library: Library) -> None:
    """A thousand traced calls hold nothing once they are done."""
    op = define(library, "f(Tensor x, Tensor[] ys=[]) -> Tensor", reports(None))

    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    with dispatch_trace(len):
        for _ in range(10):
            op(a, [a])
        before = objects()
        for _ in range(1000):
            op(a, [a])
        assert objects() - before < 100
    assert sys.getrefcount(a) < 1000
