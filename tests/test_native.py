"""Operators with a native side, over a library that is made for the purpose.

What PyTorch makes of the same is in tests/oracle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from keyslot import Library, fallthrough, with_keyset
from keyslot.runtime.errors import (
    DuplicateKernelError,
    FallthroughError,
    KernelForError,
    KeySetTypeError,
    LibraryError,
    NativeOperatorError,
    NoKernelError,
)

from .dispatching import names
from .native_library import Shop, Stubborn, Thing, open_shop, overload, packet

X = Thing("Near", "AutogradNear")


def says(text: str) -> Callable[..., str]:
    """Return a kernel that tells who it is."""
    return lambda *_args, **_named: text


@pytest.fixture
def shop() -> Shop:
    """A library of its own."""
    return open_shop()


@pytest.fixture
def buy(shop: Shop) -> Any:
    """An operator with kernels at two keys of X."""
    kernels = {"Near": says("near"), "AutogradNear": says("autograd")}
    return overload(shop, "buy(Tensor x) -> Tensor", **kernels)


def test_calls_go_to_the_library_while_nothing_is_on(shop: Shop, buy: Any) -> None:
    """Python kernels change nothing then."""
    buy.py_impl("AutogradNear")(says("mine"))
    assert buy(X) == "autograd"
    assert shop.calls[1:] == ["shop::buy natively"]


def test_the_library_is_told_of_a_python_kernel_at_once(shop: Shop, buy: Any) -> None:
    """It may come to the kernel before anybody calls the operator here."""
    assert shop.known == {}
    buy.py_impl("AutogradNear")(says("mine"))
    assert shop.known == {"shop::buy": buy}
    assert shop.calls == ["shop::buy forgets"]


def test_python_kernels_come_first_while_the_dispatcher_is_on(
    shop: Shop, buy: Any
) -> None:
    """And with it off again, no more."""
    on = shop.dispatcher.enable_python_dispatcher()
    with on:
        assert buy(X) == "autograd"
    buy.py_impl("AutogradNear")(says("mine"))
    with on, on:
        assert buy(X) == "mine"
        with shop.dispatcher.disable_python_dispatcher():
            assert buy(X) == "autograd"
        assert buy(X) == "mine"
    assert buy(X) == "autograd"


def test_native_kernels_stay_on_the_native_side(shop: Shop, buy: Any) -> None:
    """Where no Python kernel is below, the library goes on without asking again."""
    with shop.dispatcher.enable_python_dispatcher():
        assert buy(X) == "autograd"
        assert shop.calls.pop() == "shop::buy below AutogradNear"
        buy.py_impl("Near")(says("mine"))
        assert buy(X) == "autograd"
        assert shop.calls.pop() == "shop::buy at AutogradNear"


def test_alias_keys_and_composites(shop: Shop) -> None:
    """The tables are those of every other operator."""
    op = overload(shop, "sell(Tensor x) -> Tensor", CompositeImplicitAutograd=says("c"))
    assert op.table["AutogradFar"].source == "CompositeImplicitAutograd"
    with shop.dispatcher.enable_python_dispatcher():
        assert op(X) == "c"
        assert shop.calls == ["shop::sell at CompositeImplicitAutograd"]
        op.py_impl("Autograd")(says("mine"))
        assert op(X) == "c"  # the composite comes first
        op.py_impl("Near")(says("near"))
        assert op(X) == "mine"  # and steps back for a backend kernel


def test_kernels_of_the_library_may_change(shop: Shop, buy: Any) -> None:
    """No handler is stale after the library has said so: slots, calls, tables."""
    with shop.dispatcher.enable_python_dispatcher():
        assert buy(X) == "autograd"
        assert buy.AutogradNear.name == "AutogradNear"
        shop.kernels["shop::buy"] = {"Near": says("other")}
        shop.dispatcher.forget_kernels("buy")
        assert buy(X) == "other"
        assert buy.table["AutogradNear"].kind == "missing"
        shop.kernels["shop::buy"] = {"Autograd": says("alias")}
        shop.dispatcher.forget_kernels()
        assert buy.AutogradNear.name == "Autograd"
        assert buy(X) == "alias"
        shop.dispatcher.forget_kernels("another")
        assert shop.calls.count("shop::buy forgets") == 2


def test_fallbacks_and_fallthroughs_are_the_librarys(shop: Shop, buy: Any) -> None:
    """A key with a fallback can be called; one that is passed over never is."""
    counted = Thing("Near", "Counted")
    shop.own_fallbacks["Counted"] = says("counted")
    shop.dispatcher.native_fallbacks_changed()
    with shop.dispatcher.enable_python_dispatcher():
        assert buy(counted) == "counted"
        assert buy.at("Counted", X) == "counted"
        shop.own_fallbacks["Counted"] = fallthrough
        shop.dispatcher.native_fallbacks_changed()
        assert buy(counted) == "near"
        with pytest.raises(FallthroughError):
            buy.at("Counted", X)
    assert "Counted" in buy.explain(counted).fallthrough


def test_a_key_without_kernel_is_for_the_library_to_refuse(
    shop: Shop, buy: Any
) -> None:
    """The error of a call is the library's own; that of a chosen key is ours."""
    far = Thing("Far")
    with shop.dispatcher.enable_python_dispatcher():
        with pytest.raises(LookupError, match="cannot run"):
            buy(far)
        with pytest.raises(NoKernelError, match="Far"):
            buy.at("Far", far)
    with pytest.raises(NoKernelError, match="Far"):
        buy.at("Far", far)


def test_what_overrides_calls_comes_before_dispatch(shop: Shop, buy: Any) -> None:
    """A subclass of arrays that has its say is the library's to ask."""
    buy.py_impl("Near")(says("mine"))
    with shop.dispatcher.enable_python_dispatcher():
        assert buy(Thing("Near")) == "mine"
        shop.calls.clear()
        buy(Stubborn("Near"))
        assert shop.calls == ["shop::buy natively"]


def test_keys_that_modes_decide_are_asked_at_each_call(shop: Shop, buy: Any) -> None:
    """Their handlers are not kept."""
    front = Thing("Near", "Front")
    with shop.dispatcher.enable_python_dispatcher():
        assert (buy(front), buy(front)) == ("near", "near")
    assert shop.calls == ["shop::buy natively"] * 2
    assert buy.cache.handlers == {}


def test_numbers_are_not_called_as_arrays_are(shop: Shop) -> None:
    """The library makes arrays of them, and dispatches by itself."""
    op = overload(shop, "scale(Tensor x, Tensor y) -> Tensor", Near=says("near"))
    with shop.dispatcher.enable_python_dispatcher():
        for _ in range(2):
            assert op(Thing("Near"), Thing("Near")) == "near"
            assert shop.calls.pop() == "shop::scale below Near"
            assert op(Thing("Near"), 2) == "near"
            assert shop.calls.pop() == "shop::scale natively"


def test_lists_bring_the_keys_of_their_items(shop: Shop) -> None:
    """Also for a call that takes nothing else."""
    op = overload(shop, "join(Tensor[] xs) -> Tensor", Near=says("n"), Far=says("f"))
    with shop.dispatcher.enable_python_dispatcher():
        assert op([Thing("Near")]) == "n"
        assert op([Thing("Near"), Thing("Far")]) == "f"
    assert names(op.keys_of(([Thing("Far")],), {})) == ["Far"]


def test_guards_change_the_state_of_the_library(shop: Shop, buy: Any) -> None:
    """A backend means all its keys; what was there comes back, after errors too."""
    include, exclude = shop.dispatcher.include_keys, shop.dispatcher.exclude_keys
    with exclude("Autograd"):
        assert buy(X) == "near"
        with include("AutogradNear"):
            assert buy(X) == "autograd"
    with pytest.raises(ZeroDivisionError), exclude("Near"):
        _ = 1 / len(names(buy.keys_of((X,), {})))
    assert shop.state() == (0, 0)
    assert not shop.dispatcher.active
    assert repr(exclude("Autograd")) == "<guard exclude_keys(Autograd)>"


def test_redispatch_goes_on_below_a_key(shop: Shop, buy: Any) -> None:
    """A Python kernel may pass a call on, and meets Python kernels below."""
    keys_seen: list[list[str]] = []

    def autograd(keyset: Any, x: Any) -> str:
        keys_seen.append(names(keyset))
        below = buy.redispatch(keyset.below("AutogradNear"), x)
        return f"mine over {below}"

    buy.py_impl("AutogradNear")(with_keyset(autograd))
    with shop.dispatcher.enable_python_dispatcher():
        assert buy(X) == "mine over near"
        buy.py_impl("Near")(says("my near"))
        assert buy(X) == "mine over my near"
    assert keys_seen == [["AutogradNear", "Near"]] * 2
    keyset = buy.keys_of((X,), {})
    assert buy.redispatch(keyset, X) == "autograd"
    with pytest.raises(KeySetTypeError):
        buy.redispatch({"Near"}, X)


def test_decompose_calls_the_composite(shop: Shop, buy: Any) -> None:
    """A Python kernel comes before a native one, whatever the state."""
    assert buy.decompose(X) is NotImplemented
    op = overload(shop, "sell(Tensor x) -> Tensor", CompositeImplicitAutograd=says("c"))
    assert op.decompose(X) == "c"
    op.py_impl("CompositeImplicitAutograd")(says("mine"))
    assert op.decompose(X) == "mine"


def test_packets_let_the_library_choose_the_overload(shop: Shop) -> None:
    """With the dispatcher on and off."""
    one = overload(shop, "pay(Tensor x) -> Tensor", Near=says("one"))
    two = overload(shop, "pay.two(Tensor x, Tensor y) -> Tensor", Near=says("two"))
    pay, near = packet(one, two), Thing("Near")
    assert (pay(near), pay(near, y=near)) == ("one", "two")
    two.py_impl("Near")(says("mine"))
    with shop.dispatcher.enable_python_dispatcher():
        assert (pay(near), pay(near, near)) == ("one", "mine")
        assert pay.explain(near, near).op == "shop::pay.two"


def test_what_the_library_would_not_know_is_refused(shop: Shop) -> None:
    """Operators and fallbacks that were only here would be called by nobody."""
    attributes = {"dispatcher": shop.dispatcher}
    library_type: Any = type("ShopLibrary", (Library,), attributes)
    with library_type("mine", "DEF") as library:
        with pytest.raises(LibraryError, match="definitions of operators"):
            library.define("f(Tensor x) -> Tensor")
        with pytest.raises(LibraryError, match="backend fallbacks"):
            library.fallback(says("mine"), "Near")
    assert shop.dispatcher.active_fallbacks() == {}


def test_explanations_are_of_the_state_of_the_thread(shop: Shop, buy: Any) -> None:
    """Which keys, where they are from, and what is chosen."""
    buy.py_impl("AutogradNear")(says("mine"))
    off = buy.explain(X)
    with shop.dispatcher.enable_python_dispatcher():
        on = buy.explain(X)
    assert (off.keys, off.python_dispatcher) == (("AutogradNear", "Near"), False)
    assert on.python_dispatcher
    assert on.chosen.site != off.chosen.site
    assert str(on.arguments[0]) == "x: tests.native_library.Thing (AutogradNear, Near)"


def test_what_is_the_librarys_is_refused(shop: Shop, buy: Any) -> None:
    """Ordinary kernels are registered there, and keys do not follow from types."""
    with pytest.raises(NativeOperatorError, match="py_impl"):
        buy.impl("Near")(says("mine"))
    with pytest.raises(KernelForError):
        buy.kernel_for(Thing)
    gone = overload(shop, "gone(Tensor x) -> Tensor")
    del shop.kernels["shop::gone"]
    with pytest.raises(NativeOperatorError, match=r"shop::gone: the shop has no such"):
        gone(X)
    buy.py_impl("Near")(says("mine"))
    with pytest.raises(DuplicateKernelError):
        buy.py_impl("Near")(says("again"))


def test_guards_may_be_left_in_any_order(shop: Shop) -> None:
    """The outer one takes the inner ones along, as guards without a library do."""
    before = shop.state()
    outer = shop.dispatcher.enable_python_dispatcher()
    inner = shop.dispatcher.exclude_keys("Near")
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert shop.state() == before
    assert not shop.dispatcher.active
    inner.__exit__(None, None, None)
    assert shop.state() == before
    assert len(shop.dispatcher.active) == 0


def test_tasks_whose_guards_overlap_leave_nothing_behind(shop: Shop) -> None:
    """Tasks share the state of their thread, and are done in any order."""
    before = shop.state()

    async def task(turns: int) -> None:
        with shop.dispatcher.enable_python_dispatcher():
            for _ in range(turns):
                await asyncio.sleep(0)

    async def tasks() -> None:
        await asyncio.gather(*(task(turns) for turns in (2, 1, 3, 1)))

    asyncio.run(tasks())
    assert shop.state() == before
    assert len(shop.dispatcher.active) == 0


def test_a_guard_is_left_by_the_thread_that_entered_it(shop: Shop) -> None:
    """Another thread finds nothing of its own, and takes nothing away."""
    guard = shop.dispatcher.enable_python_dispatcher()
    with guard:
        other = Thread(target=guard.__exit__, args=(None, None, None))
        other.start()
        other.join()
        assert shop.dispatcher.is_python_on
        assert shop.dispatcher.active
    assert not shop.dispatcher.active


def test_packages_of_one_library_share_their_overloads(shop: Shop, buy: Any) -> None:
    """What is registered by way of one is so by way of the others."""
    kernels = shop.kernels["shop::buy"]
    again = overload(shop, "buy(Tensor x) -> Tensor", **kernels)
    buy.py_impl("AutogradNear")(says("python"))
    with shop.dispatcher.enable_python_dispatcher():
        assert again(X) == "python"
    other = overload(shop, "buy(Tensor x, int n=1) -> Tensor", **kernels)
    assert again is buy
    assert other is not buy
