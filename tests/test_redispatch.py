"""Redispatch: going on below a key, with exactly the key set that is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKey,
    DispatchKeySet,
    Library,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    fallthrough,
    include_keys,
    ops,
    with_keyset,
)
from keyslot.generated.keys import SPACE
from keyslot.transforms.tensor import Tensor

from .dispatching import UNARY, answer, array, names, operator, with_keys

X = array()
SHIPPED: Any = ops


def test_highest_key_of_the_set_is_called() -> None:
    """Neither the arguments nor the state have a say."""
    with operator(NumPy=answer("NumPy"), Dask=answer("Dask")) as (_, op):
        assert op.redispatch(DispatchKeySet("NumPy"), X) == "NumPy"
        assert op.redispatch(DispatchKeySet(["NumPy", "Dask"]), X) == "Dask"
        with include_keys("Dask"), exclude_keys("NumPy"):
            assert op.redispatch(DispatchKeySet("NumPy"), X) == "NumPy"


@pytest.mark.parametrize("python", [False, True])
def test_fallthrough_keys_are_passed_over(python: bool) -> None:
    """A full call and a redispatch leave the same keys out."""
    register = "py_impl" if python else "impl"
    with operator(NumPy=answer("NumPy")) as (library, op):
        library.impl(op, answer("Functionalize"), "Functionalize")
        getattr(library, register)(op, fallthrough, "Functionalize", override=True)
        guard = enable_python_dispatcher() if python else include_keys()
        keys = DispatchKeySet(["Functionalize", "AutogradNumPy", "NumPy"])
        with guard, include_keys("Functionalize"):
            assert op(X) == "NumPy"
            assert op.redispatch(keys, X) == "NumPy"
            with pytest.raises(errors.FallthroughError):
                op.at("Functionalize", X)
        if python:
            assert op.redispatch(keys, X) == "Functionalize"


def test_kernels_go_on_below_their_own_key() -> None:
    """A chain of kernels peels key after key off the set."""
    seen: list[list[str]] = []

    def step(key: str) -> Any:
        def kernel(keyset: Any, x: Any) -> Any:
            seen.append(names(keyset))
            return op.redispatch(keyset.below(key), x)

        return with_keyset(kernel)

    chain = ["Functionalize", "ADInplaceOrView", "AutogradNumPy"]
    with operator(NumPy=answer("NumPy")) as (library, op):
        for key in chain:
            library.impl(op, step(key), key)
        with include_keys("Functionalize"):
            assert op(X) == "NumPy"
    full = ["AutogradNumPy", "ADInplaceOrView", "Functionalize", "BackendSelect"]
    assert seen == [[*full[n:], "NumPy"] for n in range(3)]


@pytest.mark.parametrize(
    "keys",
    [
        ["NumPy"],
        ["NumPy", "BackendSelect"],
        ["NumPy", "AutogradNumPy", "Autocast"],
        [DispatchKey.NumPy, "Undefined"],
    ],
)
def test_with_keyset_gets_the_exact_set(keys: list[Any]) -> None:
    """Also the fallthrough keys of the set are in it, and nothing else is."""

    def kernel(keyset: DispatchKeySet, x: Any) -> Any:
        return keyset

    with operator() as (library, op):
        library.impl(op, kernel, "NumPy", with_keyset=True)
        keyset = DispatchKeySet(keys)
        for _ in range(2):
            assert op.redispatch(keyset, X) == keyset
            with enable_python_dispatcher():
                assert op.redispatch(keyset, X) == keyset


def test_with_keyset_gets_the_set_of_a_full_call() -> None:
    """Arguments, included and excluded keys are in it, the Python dispatcher is not."""
    with operator() as (library, op):
        library.impl(op, with_keys(lambda keyset, x: keyset), "NumPy")
        assert op(X) == op.keys_of((X,), {})
        with include_keys("Autocast"), exclude_keys("BackendSelect"):
            assert op(X) == op.keys_of((X,), {})
            assert "Autocast" in op(X)
            with enable_python_dispatcher():
                assert op(X) == op.keys_of((X,), {}).below("PythonDispatcher")


def test_with_keyset_at_one_key_gets_the_keys_of_the_arguments() -> None:
    """``at`` and a loaded slot have no set: it is read off the arguments and state."""

    def kernel(keyset: Any, x: Any) -> tuple[list[str], Any]:
        return names(keyset), op.redispatch(keyset.below("Functionalize"), x)

    expected = (["Functionalize", "BackendSelect", "NumPy"], "NumPy")
    with operator(NumPy=answer("NumPy")) as (library, op):
        library.impl(op, with_keyset(kernel), "Functionalize")
        with include_keys("Functionalize"):
            for _ in range(2):
                assert op.at("Functionalize", X) == expected
                assert op.Functionalize(X) == expected
                with enable_python_dispatcher():
                    assert op.at("Functionalize", X) == expected


def test_defaults_are_filled_in() -> None:
    """Kernels get every argument on a redispatch as on a call."""

    def kernel(*args: Any, **named: Any) -> Any:
        return args[1:], named

    schema = "f(Tensor x, int n=2, *, int[2] size=1, bool flag) -> Tensor"
    with operator(schema, NumPy=kernel) as (_, op):
        keys = DispatchKeySet("NumPy")
        expected = ((2,), {"size": (1, 1), "flag": True})
        for call in (op, partial(op.redispatch, keys)):
            assert call(X, flag=True) == expected
            assert call(x=X, flag=True) == expected
            assert call(X, flag=True, size=1) == expected
        assert op.at("NumPy", X, flag=True) == expected
        with pytest.raises(TypeError):
            op.redispatch(keys, X)
        with pytest.raises(TypeError):
            op.redispatch(keys, X, flag=True, nope=1)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("NumPy", "str"),
        (3, "int"),
        (DispatchKey.NumPy, "DispatchKey"),
        ([DispatchKey.NumPy], "list"),
        (None, "NoneType"),
    ],
)
def test_anything_but_a_key_set_is_refused(wrong: Any, named: str) -> None:
    """The error says what a redispatch takes, and keeps its facts."""
    with operator(NumPy=answer(1)) as (_, op):
        with pytest.raises(errors.KeySetTypeError) as caught:
            op.redispatch(wrong, X)
        assert str(caught.value) == (
            f"{op.name}.redispatch takes a key set of its own key space first, not"
            f" {named}; keyset.below(key) of the kernel's key set is usual"
        )
        assert (caught.value.op, caught.value.given) == (op.name, named)


def test_nothing_is_cached_across_different_sets() -> None:
    """Each key set has a handler of its own, whatever was redispatched before."""
    kernels = {key: answer(key) for key in SPACE.backends}
    with operator(UNARY, **kernels) as (_, op):
        for _ in range(2):
            for backend in SPACE.backends:
                assert op.redispatch(DispatchKeySet(backend), X) == backend


def undefined(op: Any) -> Any:
    """Redispatch to nothing."""
    return op.redispatch(DispatchKeySet(), X)


def only_fallthrough(op: Any) -> Any:
    """Redispatch to keys that are all passed over."""
    return op.redispatch(DispatchKeySet(["AutogradNumPy", "BackendSelect"]), X)


def everything_excluded(op: Any) -> Any:
    """Call where the state takes every key away."""
    with exclude_keys(*SPACE.keys[1:]):
        return op(X)


@pytest.mark.parametrize("call", [undefined, only_fallthrough, everything_excluded])
def test_empty_key_set_leads_to_undefined(call: Callable[[Any], Any]) -> None:
    """Where no key is left, a composite steps in, or the error says ``Undefined``."""
    with operator(NumPy=answer("NumPy")) as (library, op):
        with pytest.raises(errors.NoKernelError) as caught:
            call(op)
        assert caught.value.facts.key == "Undefined"
        assert caught.value.facts.keys == ()
        library.impl(op, answer("composite"), "CompositeExplicitAutograd")
        assert call(op) == "composite"


def test_trace_shows_redispatches_and_they_still_work() -> None:
    """A redispatch under a trace is a line of its own, indented under its call."""
    lines: list[str] = []
    with operator(NumPy=answer("NumPy")) as (library, op):
        kernel = with_keys(lambda k, x: op.redispatch(k.below("Functionalize"), x))
        library.impl(op, kernel, "Functionalize")
        with include_keys("Functionalize"), dispatch_trace(lines.append):
            assert op(X) == "NumPy"
    assert [line.index(op.name) for line in lines] == [0, 2]


@pytest.mark.parametrize("key", [None, "Python", "PreDispatch"])
@pytest.mark.parametrize("grad", [False, True])
def test_calls_from_keys_take_arrays_that_carry_keys(
    key: str | None, grad: bool
) -> None:
    """A kernel of a backend gets the arrays inside, wherever it is reached from.

    The kernels at such keys go on below them, a built-in one and one of ours.
    """
    plain = np.array([3.0, 4.0])
    x = Tensor(plain, requires_grad=grad)
    op = SHIPPED.mul.Tensor
    guard = include_keys() if key is None else include_keys(key)
    with Library("keyslot", "IMPL") as library, guard:
        library.impl(op, going_on(op), "PreDispatch")
        for args in ((x, plain), (plain, x), (x, x)):
            for made in (op(*args), op.redispatch(op.keys_of(args, {}), *args)):
                assert np.asarray(made.value).tolist() == [9.0, 16.0]
                assert made.requires_grad == grad
            # A call at one key passes over those above it.
            assert not op.at("NumPy", *args).requires_grad
        assert (
            type(op.at("NumPy", plain, plain)) is type(op(plain, plain)) is np.ndarray
        )


def going_on(op: Any) -> Any:
    """Return a kernel that goes on below its own key, as those at such a key do."""

    @with_keyset
    def kernel(keyset: Any, /, *args: Any, **named: Any) -> Any:
        return op.redispatch(keyset.below("PreDispatch"), *args, **named)

    return kernel


def test_calls_from_keys_look_into_lists() -> None:
    """Arrays that carry keys count where they are items of a list."""
    plain = np.array([3.0, 4.0])
    op = SHIPPED.cat.default
    for first in (Tensor(plain), plain):
        made = op.at("NumPy", [plain, first])
        assert isinstance(made, Tensor) == isinstance(first, Tensor)
        assert np.asarray(made).tolist() == [3.0, 4.0, 3.0, 4.0]


def test_no_plain_kernel_takes_arrays_that_carry_keys() -> None:
    """What they mean depends on each object, so there is none to hand out."""
    with pytest.raises(errors.KernelForError):
        SHIPPED.mul.Tensor.kernel_for(Tensor, Tensor)
