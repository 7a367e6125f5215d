"""Types that are collected leave nothing behind in any cache."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Sized
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKeySet,
    Library,
    below_autograd,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    include_keys,
    ops,
    register_array_type,
)
from keyslot.generated.keys import DISPATCHER

from .dispatching import answer, array, fresh_library, operator

GENERATED: Any = ops
SCHEMAS = {
    "one": "f(Tensor x) -> Tensor",
    "two": "f(Tensor x, Tensor y) -> Tensor",
    "optional": "f(Tensor x, Tensor? y=None) -> Tensor",
    "list": "f(Tensor[] xs) -> Tensor",
    "keyword": "f(Tensor x, *, Tensor y) -> Tensor",
}


def collected(make: Callable[[], type]) -> bool:
    """Whether the class that ``make`` makes and uses is gone after a collection."""
    there = weakref.ref(make())
    gc.collect()
    return there() is None


def array_class() -> type:
    """Return a class of NumPy arrays of its own."""
    return type("Mine", (np.ndarray,), {})


def array_of(cls: type) -> Any:
    """Return an array of a class that `array_class` made."""
    return array().view(cls)


def call_every_way(op: Any, *args: Any, **named: Any) -> None:
    """Call an operator in every way and state that keeps handlers."""
    op(*args, **named)
    op.at("NumPy", *args, **named)
    op.redispatch(DispatchKeySet("NumPy"), *args, **named)
    op.explain(*args, **named)
    op.keys_of(args, named)
    for guard in (
        below_autograd(),
        include_keys("Autocast"),
        enable_python_dispatcher(),
        dispatch_trace(lambda _: None),
    ):
        with guard:
            op(*args, **named)


@pytest.fixture
def library() -> Iterator[Library]:
    """A Library with one operator for each way in which arrays are passed."""
    with fresh_library() as made:
        for name, schema in SCHEMAS.items():
            op = made.define(schema.replace("f(", f"{name}(")).op
            made.impl(op, answer(None), "NumPy")
        yield made


def use_one(library: Library, x: Any) -> None:
    """Pass an array alone, by position and by name, and load the kernel."""
    call_every_way(library.ops.one.default, x)
    call_every_way(library.ops.one.default, x=x)
    library.ops.one(x)
    library.ops.one.default.kernel_for(type(x))


def use_two(library: Library, x: Any) -> None:
    """Pass an array beside another one."""
    call_every_way(library.ops.two.default, x, x)
    call_every_way(library.ops.two.default, x, array())
    call_every_way(library.ops.two.default, array(), x)


def use_optional(library: Library, x: Any) -> None:
    """Pass an array where none is needed."""
    call_every_way(library.ops.optional.default, x)
    call_every_way(library.ops.optional.default, x, x)
    call_every_way(library.ops.optional.default, array(), y=x)


def use_list(library: Library, x: Any) -> None:
    """Pass an array in a list, where values have to be looked at."""
    call_every_way(library.ops.list.default, [x])
    call_every_way(library.ops.list.default, (array(), x))


def use_keyword(library: Library, x: Any) -> None:
    """Pass an array by keyword only."""
    call_every_way(library.ops.keyword.default, array(), y=x)
    call_every_way(library.ops.keyword.default, x, y=array())


@pytest.mark.parametrize("use", [use_one, use_two, use_optional, use_list, use_keyword])
def test_class_is_collected_after_calls(
    library: Library, use: Callable[[Library, Any], None]
) -> None:
    """No way of passing an array, in no state, keeps its class alive."""

    def make() -> type:
        cls = array_class()
        use(library, array_of(cls))
        return cls

    assert collected(make)


def test_class_is_collected_after_calls_of_generated_operators() -> None:
    """The caches of generated functions let go as well."""

    def make() -> type:
        cls = array_class()
        x = array_of(cls)
        GENERATED.mul(x, x)
        GENERATED.mul(x, 2)
        GENERATED.mul.Tensor(x, array())
        GENERATED.cat([x, x])
        GENERATED.sum(x, dim=[0])
        with below_autograd():
            GENERATED.mul(x, x)
            GENERATED.cat([x, x])
        return cls

    assert collected(make)


def test_registered_class_is_collected() -> None:
    """Being an array type of a backend keeps no class alive, nor does the undo."""
    undone: list[Any] = []

    def make() -> type:
        cls = type("Registered", (), {})
        undone.append(register_array_type(cls, "PrivateUse1"))
        with operator(PrivateUse1=answer(None)) as (_, op):
            op(cls())
        return cls

    assert collected(make)
    undone.pop()()


def no_kernel(op: Any, cls: type) -> None:
    """Reach a key where the operator has no kernel."""
    with register_array_type(cls, "Dask"):
        for _ in range(2):
            with pytest.raises(errors.KeyslotError):
                op(cls())


def no_array(op: Any, cls: type) -> None:
    """Pass something that is no array."""
    for _ in range(2):
        with pytest.raises(TypeError):
            op(cls())


def two_libraries(op: Any, cls: type) -> None:
    """Pass arrays of two libraries in one list."""
    with register_array_type(cls, "Dask"):
        for _ in range(2):
            with pytest.raises(TypeError):
                op([cls(), array()])


@pytest.mark.parametrize(
    ("schema", "fail"),
    [
        (SCHEMAS["one"], no_kernel),
        (SCHEMAS["one"], no_array),
        (SCHEMAS["list"], no_array),
        (SCHEMAS["list"], two_libraries),
    ],
)
def test_class_is_collected_after_errors(
    schema: str, fail: Callable[[Any, type], None]
) -> None:
    """A call that failed keeps no class either, in the form it came or any other."""
    with operator(schema, NumPy=answer(None)) as (_, op):
        op([array()] if "[]" in schema else array())

        def make() -> type:
            cls = type("Failed", (), {})
            fail(op, cls)
            return cls

        assert collected(make)


def test_class_is_collected_after_a_kernel_raised() -> None:
    """A traceback that somebody dropped holds nothing."""

    def fail(x: Any) -> None:
        raise ZeroDivisionError

    with operator(NumPy=fail) as (_, op):

        def make() -> type:
            cls = array_class()
            with pytest.raises(ZeroDivisionError):
                op(array_of(cls))
            with enable_python_dispatcher(), pytest.raises(ZeroDivisionError):
                op(array_of(cls))
            return cls

        assert collected(make)


def test_generated_operator_without_kernel_keeps_no_class() -> None:
    """The fixed caches of a generated operator keep no route of a call that failed."""

    def make() -> type:
        cls = type("Kernelless", (), {})
        with register_array_type(cls, "Dask"):
            for _ in range(2):
                with pytest.raises(errors.KeyslotError):
                    GENERATED.neg(cls())
                with pytest.raises(errors.KeyslotError):
                    GENERATED.neg.default(cls())
        return cls

    assert collected(make)


def test_thousand_types_come_and_go(library: Library) -> None:
    """Caches hold what is alive, and after a thousand types not one of them."""
    op = library.ops.two.default
    op(array(), array())
    there: list[weakref.ref[type]] = []

    def come_and_go() -> None:
        cls = array_class()
        op(array_of(cls), array())
        op(array(), y=array_of(cls))
        there.append(weakref.ref(cls))

    for _ in range(1000):
        come_and_go()
    gc.collect()
    assert [ref for ref in there if ref() is not None] == []


def test_live_types_are_found_again_after_a_collection(library: Library) -> None:
    """A collection costs a live type one look, and changes no result."""
    op = library.ops.one.default
    cls = array_class()
    x = array_of(cls)
    for _ in range(3):
        assert op(x) is None
        gc.collect()
    library.impl(op, answer("new"), "NumPy", override=True)
    assert op(x) == "new"


def test_registration_is_seen_by_what_a_collection_left(library: Library) -> None:
    """Entries made before and after a collection are both emptied by a change."""
    op = library.ops.one.default
    cls = array_class()
    for answered in range(5):
        undo = library.impl(op, answer(answered), "NumPy", override=True)
        for x in (array(), array_of(cls)):
            assert op(x) == answered
            gc.collect()
            assert op(x) == answered
        undo()
        assert op(array()) is None
        assert op(array_of(cls)) is None


def held(op: Any) -> list[int]:
    """Return the sizes of what the caches of an operator hold."""
    found = [r for cache in op.caches for r in gc.get_referents(cache)]
    return [len(held) for held in found if isinstance(held, Sized)]


def test_tracing_keeps_nothing(library: Library) -> None:
    """Calls under a trace are not cached, so that a long trace does not grow."""
    op = library.ops.one.default

    def call() -> None:
        op(array())
        op.at("NumPy", array())
        op.redispatch(DispatchKeySet("NumPy"), array())

    call()
    before = held(op)
    with dispatch_trace(lambda _: None):
        for _ in range(100):
            call()
    assert held(op) == before


def test_dispatcher_that_is_gone_hears_no_more_of_collections() -> None:
    """A dispatcher takes its hook back, and leaves those of others alone."""
    from keyslot.runtime.dispatcher import Dispatcher

    before = gc.callbacks.copy()
    made = Dispatcher(DISPATCHER.space, DISPATCHER.keyset_type)
    phases: list[str] = []

    def other(phase: str, _: dict[str, int]) -> None:
        phases.append(phase)

    gc.callbacks.append(other)
    try:
        assert len(gc.callbacks) == len(before) + 2
        del made
        gc.collect()
        phases.clear()
        gc.collect()
    finally:
        gc.callbacks.remove(other)
    assert phases == ["start", "stop"]
    assert gc.callbacks == before
