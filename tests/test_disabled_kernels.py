"""``disable_kernel``: an operator without one of its kernels, for one thread."""

from __future__ import annotations

import asyncio
import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from typing import Any

import pytest

from keyslot import (
    check_kernels,
    disable_kernel,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    explain,
    fallthrough,
    ops,
)

from .dispatching import answer, array, fresh_namespace, operator, unary
from .key_spaces import torch_space


def test_next_in_the_table_is_called() -> None:
    """A composite or a fallback, as if nothing were registered at the key."""
    with operator(
        NumPy=answer("NumPy"),
        CompositeExplicitAutograd=answer("explicit"),
        CompositeImplicitAutograd=answer("implicit"),
    ) as (_, op):
        for _ in range(2):
            assert op(array()) == "NumPy"
            with disable_kernel(op, "NumPy"):
                assert op(array()) == "explicit"
                with disable_kernel(op, "CompositeExplicitAutograd"):
                    assert op(array()) == "implicit"
                assert op(array()) == "explicit"
            assert op(array()) == "NumPy"
        with disable_kernel(op, "NumPy", "CompositeExplicitAutograd"):
            assert op(array()) == "implicit"


def test_call_that_has_nothing_left_is_an_error() -> None:
    """It says what any call without a kernel says, and who took it away."""
    with operator(NumPy=answer("NumPy")) as (_, op):
        with pytest.raises(errors.NoKernelError) as caught, disable_kernel(op, "NumPy"):
            op(array())
        *_, kernels, hint = str(caught.value).splitlines()
        assert kernels == "  kernels: none at any key"
        assert hint == (
            "  what to do: leave the block of disable_kernel, which takes away what is"
            " registered at NumPy"
        )
        assert op(array()) == "NumPy"


def test_every_way_to_the_kernel_is_closed() -> None:
    """Calls at one key, redispatch, and `kernel_for` see the same table."""
    composite = answer("composite")
    with operator(NumPy=answer("NumPy"), CompositeExplicitAutograd=composite) as (
        _,
        op,
    ):
        x = array()
        keys = op.keys_of((x,), {})
        for _ in range(2):
            with disable_kernel(op, "NumPy"):
                assert op.at("NumPy", x) == "composite"
                assert op.redispatch(keys, x) == "composite"
                assert op.kernel_for(type(x)) is composite
                assert explain(op, x).chosen.source == "CompositeExplicitAutograd"
            assert op.at("NumPy", x) == op.redispatch(keys, x) == "NumPy"


def test_explain_says_which_kernels_are_switched_off() -> None:
    """The report has a line for them, as long as there are any."""
    composite = answer("composite")
    with operator(NumPy=answer("NumPy"), CompositeExplicitAutograd=composite) as (
        _,
        op,
    ):
        line = "switched off by disable_kernel, the kernels at: NumPy"
        for _ in range(2):
            assert explain(op, array()).disabled == ()
            assert "switched off" not in str(explain(op, array()))
            with disable_kernel(op, "NumPy"), disable_kernel(ops.mul.Tensor, "Meta"):
                assert line in str(explain(op, array())).splitlines()


def test_kernel_of_the_python_dispatcher_is_left_out_too() -> None:
    """Nothing at the key counts, whoever would have seen it."""
    with operator(
        NumPy=answer("NumPy"), CompositeExplicitAutograd=answer("composite")
    ) as (library, op):
        library.py_impl(op, answer("Python"), "NumPy")
        with enable_python_dispatcher():
            assert op(array()) == "Python"
            with disable_kernel(op, "NumPy"):
                assert op(array()) == "composite"
            assert op(array()) == "Python"


def test_fallthrough_is_left_out_too() -> None:
    """A key that an operator passes over may lead to an alias kernel without that."""
    with operator(
        AutogradNumPy=fallthrough, Autograd=answer("Autograd"), NumPy=answer("NumPy")
    ) as (_, op):
        assert op(array()) == "NumPy"
        with disable_kernel(op, "AutogradNumPy"):
            assert op(array()) == "Autograd"


def test_other_operators_and_overloads_keep_their_kernels() -> None:
    """It is the one overload that is switched, also where another calls it."""
    with operator(NumPy=answer("f")) as (library, op):
        other = library.define("g(Tensor x) -> Tensor").op
        library.impl(other, unary(lambda x: ("g", op(x))), "NumPy")
        library.impl(op, answer("composite"), "CompositeExplicitAutograd")
        with disable_kernel(op, "NumPy"):
            assert other(array()) == ("g", "composite")


def test_other_threads_see_no_change() -> None:
    """Tasks and snapshots take it along, new threads do not."""
    with (
        operator(NumPy=answer("NumPy"), CompositeExplicitAutograd=answer("other")) as (
            _,
            op,
        ),
        ThreadPoolExecutor(1) as pool,
    ):

        async def call() -> Any:
            return op(array())

        with disable_kernel(op, "NumPy"):
            assert pool.submit(op, array()).result() == "NumPy"
            assert asyncio.run(call()) == "other"
        assert op(array()) == "NumPy"


def test_registrations_meanwhile_are_seen() -> None:
    """The table is that of the moment, with whatever is registered elsewhere."""
    with operator(NumPy=answer("NumPy")) as (library, op), disable_kernel(op, "NumPy"):
        for result in ("one", "two"):
            undo = library.impl(op, answer(result), "CompositeExplicitAutograd")
            assert op(array()) == result
            undo()
        library.impl(op, answer("another"), "NumPy", override=True)
        with pytest.raises(errors.NoKernelError):
            op(array())


def test_guards_go_together() -> None:
    """Tracing, checks and switched-off kernels keep each other's settings."""
    lines: list[str] = []
    with operator(NumPy=answer(0), CompositeExplicitAutograd=answer(None)) as (_, op):
        guards = [
            disable_kernel(op, "NumPy"),
            check_kernels(),
            dispatch_trace(lines.append),
        ]
        for first, second, third in permutations(guards):
            with first, second, third, pytest.raises(errors.KernelCheckError):
                op(array())
    source = "-> NumPy: kernel at CompositeExplicitAutograd"
    assert [source in line for line in lines] == [True] * 6


def test_shipped_operator_runs_without_its_kernel() -> None:
    """Generated operators as any other."""
    with disable_kernel(ops.neg.default, "NumPy"), pytest.raises(errors.NoKernelError):
        ops.neg(array())
    assert ops.neg(array()).tolist() == [0.0, 0.0]


def test_operator_is_not_held() -> None:
    """When the guard is gone, nothing remembers the operator for it."""
    with operator(NumPy=answer(0), CompositeExplicitAutograd=answer(1)) as (_, op):
        with disable_kernel(op, "NumPy"):
            assert op(array()) == 1
        there = weakref.ref(op)
    del op, _
    gc.collect()
    assert there() is None


def test_what_cannot_be_disabled_is_refused() -> None:
    """An operator of several overloads, a name, an overload of another key space."""
    disable: Any = disable_kernel
    dispatcher, library_type, _ = torch_space()
    with library_type(fresh_namespace(), "DEF") as library:
        foreign = library.define("f(Tensor x) -> Tensor").op
        for op, given in (
            ("neg", "str"),
            (ops.neg, "function; name one of its overloads: neg.default, neg.out"),
            (foreign, "one of another key space"),
        ):
            with pytest.raises(errors.NotAnOverloadError) as caught:
                disable(op, "NumPy")
            assert str(caught.value) == f"an overload is needed, not {given}"
        with pytest.raises(errors.UnknownKeyError):
            disable_kernel(ops.neg.default, "NumPyy")
    del dispatcher
