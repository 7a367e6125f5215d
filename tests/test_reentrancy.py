"""Dispatch from within: kernels, finalizers and imports that register while it runs."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKeySet,
    Library,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    include_keys,
    register_array_type,
)
from keyslot.generated.keys import DISPATCHER, SPACE, Overload, active
from keyslot.runtime import resolve_table
from keyslot.runtime.cache import HandlerCache

from .dispatching import (
    BUILT_IN,
    UNARY,
    Foreign,
    answer,
    array,
    fresh_library,
    unary,
)

pytestmark = pytest.mark.usefixtures("few_operators")

X = array()


@pytest.fixture
def library() -> Iterator[Library]:
    """A Library with an operator ``f``."""
    with fresh_library() as made:
        made.define(UNARY)
        yield made


@pytest.mark.parametrize("python", [False, True])
def test_kernel_replaces_itself(library: Library, python: bool) -> None:
    """The call that is running ends as it began; the next one sees the new kernel."""
    op = library.ops.f.default

    def kernel(x: Any) -> Any:
        undo = library.impl(op, answer("new"), "NumPy", override=True)
        return undo, op(x)

    library.impl(op, kernel, "NumPy")
    guard = enable_python_dispatcher() if python else include_keys()
    with guard:
        for _ in range(2):
            undo, inner = op(X)
            assert inner == "new"
            assert op(X) == "new"
            undo()


def test_kernel_takes_itself_away(library: Library) -> None:
    """It still returns; the next call finds nothing."""
    op = library.ops.f.default

    def kernel(x: Any) -> str:
        undo()
        with pytest.raises(errors.NoKernelError):
            op(x)
        return "last"

    undo = library.impl(op, kernel, "NumPy")
    assert op(X) == "last"
    with pytest.raises(errors.NoKernelError):
        op(X)


def test_kernel_closes_its_library() -> None:
    """The operator is gone from the next call on, not under the feet of this one."""
    with fresh_library() as library:
        op = library.define(UNARY).op

        def kernel(x: Any) -> str:
            library.close()
            with pytest.raises(errors.OperatorRemovedError):
                op(x)
            return "last"

        library.impl(op, kernel, "NumPy")
        assert op(X) == "last"
    with pytest.raises(errors.OperatorRemovedError):
        op(X)


def test_kernel_registers_a_fallback_for_the_key_it_goes_on_to(
    library: Library,
) -> None:
    """What a kernel makes ready, its own redispatch already finds."""
    op = library.ops.f.default

    def kernel(keyset: Any, x: Any) -> Any:
        with library.fallback(answer("made ready"), "NumPy"):
            return op.redispatch(keyset.below("Functionalize"), x)

    library.impl(op, kernel, "Functionalize", with_keyset=True)
    for _ in range(2):
        with include_keys("Functionalize"):
            assert op(X) == "made ready"


def test_kernel_enters_guards(library: Library) -> None:
    """Guards of a kernel hold for its own calls, and are gone when it has ended."""
    op = library.ops.f.default

    def kernel(x: Any) -> Any:
        with exclude_keys("Functionalize"):
            return op(x)

    library.impl(op, kernel, "Functionalize")
    library.impl(op, answer("NumPy"), "NumPy")
    with include_keys("Functionalize"):
        before = id(DISPATCHER.state.get())
        assert op(X) == "NumPy"
        assert id(DISPATCHER.state.get()) == before
    assert not active


def test_kernel_fails_under_its_guards(library: Library) -> None:
    """The state is restored on the way out, the error is the kernel's own."""
    op = library.ops.f.default

    def kernel(x: Any) -> Any:
        with exclude_keys("NumPy"), enable_python_dispatcher():
            raise ZeroDivisionError("the kernel's own")

    library.impl(op, kernel, "NumPy")
    for call in (op, unary(lambda x: op.at("NumPy", x)), op.NumPy):
        with pytest.raises(ZeroDivisionError) as caught:
            call(X)
        assert caught.value.__context__ is None
    assert not active
    assert DISPATCHER.state.get().setting is DISPATCHER.default


@pytest.fixture
def restless_collector() -> Iterator[None]:
    """Let the garbage collector run as often as it can."""
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*before)


class Litter:
    """Garbage that only the collector finds, and that acts when it is found."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act
        self.cycle = self

    def __del__(self) -> None:
        self.act()


@pytest.mark.usefixtures("small_heap", "restless_collector")
@pytest.mark.parametrize("python", [False, True])
def test_finalizers_register_while_a_registration_runs(
    library: Library, python: bool
) -> None:
    """A collection in the middle of a registration may change the very same table."""
    op = library.ops.f.default
    register = library.py_impl if python else library.impl
    keys = ["NumPy", "Dask", "Autograd", "CompositeImplicitAutograd", "SparseDask"]
    live: dict[str, Any] = {}
    guard = enable_python_dispatcher() if python else include_keys()

    def toggle(key: str) -> None:
        undo = live.pop(key, None)
        if undo is None:
            live[key] = register(op, answer(key), key)
        else:
            undo()

    def act(key: str) -> Callable[[], None]:
        def run() -> None:
            toggle(key)
            gc.collect()
            outcome(op)

        return run

    with guard:
        for step in range(40):
            Litter(act(keys[step % 3]))
            toggle(keys[3 + step % 2])
            outcome(op)
            gc.collect()
            table = op.python_table if python else op.dispatch_table
            cells = resolve_table(SPACE, live.keys(), BUILT_IN)
            assert [c.source for c in table.cells] == [c.source for c in cells]
            with exclude_keys("Autograd"):
                expected = cells[SPACE.index("NumPy")].source
                assert outcome(op) == expected


def outcome(op: Any) -> Any:
    """Return what a call returns, None where it finds no kernel."""
    try:
        return op(X)
    except errors.KeyslotError:
        return None


def interrupted(call: Callable[[], Any], act: Callable[[], Any], at: int) -> Any:
    """Call, and act at the n-th step within the runtime, as a finalizer may.

    Returns NotImplemented where there are not so many steps.
    """
    left = at

    def step(frame: FrameType, event: str, _: Any) -> None:
        nonlocal left
        inside = frame.f_globals.get("__package__") == "keyslot.runtime"
        if inside and event in ("call", "c_call"):
            left -= 1
            if left == 0:
                sys.setprofile(None)
                act()

    sys.setprofile(step)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return NotImplemented if left > 0 else result


def at_every_step(once: Callable[[int], Any]) -> int:
    """Do something for every step that an interruption can come at; count them."""
    at = 1
    while once(at) is not NotImplemented:
        at += 1
    return at


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize("undo", [False, True])
def test_registration_is_interrupted_at_every_step(python: bool, undo: bool) -> None:
    """By another one of the same operator: both take place, and nothing is stale."""
    guard = enable_python_dispatcher() if python else include_keys()

    def once(at: int) -> Any:
        with fresh_library() as library, guard:
            op = library.define(UNARY).op
            register = library.py_impl if python else library.impl
            library.impl(op, answer("old"), "NumPy")
            going = register(op, answer("going"), "AutogradNumPy")
            assert op(X) == "going"

            def act() -> None:
                if undo:
                    going()
                else:
                    register(op, answer("act"), "AutogradNumPy", override=True)
                assert op(X) == ("old" if undo else "act")

            done = interrupted(lambda: register(op, answer("call"), "Dask"), act, at)
            if done is NotImplemented:
                act()
            assert op(X) == ("old" if undo else "act")
            assert op.at("Dask", X) == "call"
            table = op.python_table if python else op.dispatch_table
            there = {"NumPy", "Dask", *(() if undo else ("AutogradNumPy",))}
            cells = resolve_table(SPACE, there, BUILT_IN)
            assert [c.source for c in table.cells] == [c.source for c in cells]
            return done

    assert at_every_step(once) > 50


def test_fallback_is_interrupted_at_every_step() -> None:
    """By other fallbacks and by operators that appear."""

    def once(at: int) -> Any:
        with fresh_library() as library:
            op = library.define(UNARY).op
            with pytest.raises(errors.NoKernelError):
                op(X)

            def act() -> None:
                library.define("appears(Tensor x) -> Tensor")
                library.fallback(answer("act"), "Dask")

            done = interrupted(
                lambda: library.fallback(answer("call"), "NumPy"), act, at
            )
            assert op(X) == "call"
            if done is not NotImplemented:
                assert op.at("Dask", X) == "act"
                assert library.ops.appears(X) == "call"
            return done

    steps = at_every_step(lambda at: once(1 + 7 * at))
    assert steps > 20


FIRST_CALLS: dict[str, Callable[[Any], Any]] = {
    "call": lambda op: op(X),
    "slot": lambda op: op.NumPy(X),
    "at": lambda op: op.at("NumPy", X),
    "redispatch": lambda op: op.redispatch(DispatchKeySet("NumPy"), X),
    "python": lambda op: under_python(op),
    "list": lambda op: op([X, X]),
}


def under_python(op: Any) -> Any:
    """Call under the Python dispatcher."""
    with enable_python_dispatcher():
        return op(X)


@pytest.mark.parametrize("way", FIRST_CALLS)
@pytest.mark.parametrize("fallback", [False, True])
def test_first_call_is_interrupted_at_every_step(way: str, fallback: bool) -> None:
    """By a registration: the call may see it or not, the next one does."""
    call = FIRST_CALLS[way]
    schema = "f(Tensor[] xs) -> Tensor" if way == "list" else UNARY

    def once(at: int) -> Any:
        with fresh_library() as library:
            op = library.define(schema).op
            library.fallback(answer("old"), "NumPy")

            def act() -> None:
                new = answer("new")
                if fallback:
                    library.fallback(new, "NumPy", override=True)
                else:
                    library.impl(op, new, "NumPy")

            done = interrupted(lambda: call(op), act, at)
            if done is NotImplemented:
                return done
            assert done in ("old", "new")
            assert call(op) == "new"
            return done

    assert at_every_step(once) > 10


@pytest.mark.parametrize("way", ["position", "name", "list"])
def test_types_change_at_every_step_of_a_first_call(way: str) -> None:
    """What the type of an argument means is not remembered from before the change."""
    schema = "f(Tensor[] xs) -> Tensor" if way == "list" else "f(Tensor xs) -> Tensor"

    def call(op: Any) -> Any:
        x = Foreign()
        return op(xs=x) if way == "name" else op([x] if way == "list" else x)

    def once(at: int) -> Any:
        with fresh_library() as library, register_array_type(Foreign, "Dask"):
            op = library.define(schema).op
            for key in ("Dask", "JAX"):
                library.impl(op, answer(key), key)
            undo: list[Any] = []
            done = interrupted(
                lambda: call(op),
                lambda: undo.append(register_array_type(Foreign, "JAX")),
                at,
            )
            if done is NotImplemented:
                return done
            assert call(op) == "JAX"
            undo.pop()()
            assert call(op) == "Dask"
            return done

    assert at_every_step(once) > 10


def test_collection_comes_at_every_step() -> None:
    """Handlers that a collection drops in the middle are not lost to a registration."""
    mine = type("Mine", (np.ndarray,), {})
    x = X.view(mine)

    def once(at: int) -> Any:
        with fresh_library() as library:
            op = library.define(UNARY).op
            library.impl(op, answer("old"), "NumPy")
            release = DISPATCHER.collected_types.release
            done = interrupted(lambda: op(x), release, at)
            assert op(x) == "old"
            new = interrupted(
                lambda: library.impl(op, answer("new"), "NumPy", override=True),
                release,
                at,
            )
            assert op(x) == "new"
            assert op(X) == "new"
            return done if new is NotImplemented else new

    assert at_every_step(once) > 50


def test_finalizer_of_a_kernel_calls_the_operator(library: Library) -> None:
    """A kernel that is let go of by its undo may still use what replaced it."""
    op = library.ops.f.default
    seen: list[Any] = []

    class Kernel:
        def __call__(self, x: Any) -> str:
            return "going"

        def __del__(self) -> None:
            seen.append(outcome(op))

    undo = library.impl(op, Kernel(), "NumPy")
    assert op(X) == "going"
    library.impl(op, answer("next"), "NumPy", override=True)
    undo()
    gc.collect()
    assert op(X) == "next"
    assert seen == ["next"]


KERNEL_MODULE = """
import time
from keyslot import Library
import {registry} as registry

time.sleep(0.05)
registry.seen.append(registry.other(registry.x))
library = Library(registry.namespace, "IMPL")
library.impl("f", lambda x: "registered by the import", "NumPy", override=True)

def kernel(x):
    return "imported"
"""


class Registry:
    """What a module that is imported as a kernel reaches for."""

    def __init__(self, library: Library) -> None:
        self.namespace = library.namespace
        self.other = library.ops.f.default
        self.seen: list[Any] = []
        self.x = X


def test_kernel_module_registers_while_it_is_imported(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the import nor threads that wait for it or register meanwhile lock up."""
    library.impl("f", answer("before"), "NumPy")
    registry: Any = Registry(library)
    monkeypatch.setitem(sys.modules, "the_registry", registry)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    text = KERNEL_MODULE.format(registry="the_registry")
    (tmp_path / "a_kernel_module.py").write_text(text)

    class Declared(Overload):
        __slots__ = ()
        namespace = "declared"
        schema_text = UNARY
        origin = "tests"
        kernels = MappingProxyType({"NumPy": "a_kernel_module:kernel"})
        cache = HandlerCache(("x",), ())

    op: Any = Declared()
    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda: results.append(op(X)), daemon=True),
        threading.Thread(target=lambda: results.append(op.NumPy(X)), daemon=True),
        threading.Thread(target=lambda: __import__("a_kernel_module"), daemon=True),
        threading.Thread(target=register_often, args=(library,), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert results == ["imported", "imported"]
    assert registry.seen == ["before"]
    assert library.ops.f(X) == "registered by the import"
    sys.modules.pop("a_kernel_module").library.close()
    op.remove("the test")


def register_often(library: Library) -> None:
    """Register and undo for as long as the import above takes, and longer."""
    for _ in range(200):
        library.impl("f", answer("often"), "Dask")()


def room() -> int:
    """Return how many more frames the caller may make."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] # documented
    depth = 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return sys.getrecursionlimit() - depth


def at_depth(left: int, call: Callable[[], Any]) -> Any:
    """Call with so many frames on the stack, or fail with RecursionError."""
    return at_depth(left - 1, call) if left > 0 else call()


@pytest.mark.parametrize("python", [False, True])
def test_registration_near_the_recursion_limit(library: Library, python: bool) -> None:
    """It takes place or it fails; a failed one, or a failed undo, changes nothing."""
    op = library.ops.f.default
    register = library.py_impl if python else library.impl
    guard = enable_python_dispatcher() if python else include_keys()
    register(op, answer("old"), "NumPy")
    failed = 0
    with guard:
        assert op(X) == "old"
        for less in range(90):
            undo: Any = None
            try:
                undo = at_depth(
                    room() - less,
                    lambda: register(op, answer("new"), "NumPy", override=True),
                )
            except RecursionError:
                failed += 1
                assert op(X) == "old"
                continue
            assert op(X) == "new"
            try:
                at_depth(room() - less, undo)
            except RecursionError:
                failed += 1
                assert undo.is_live
                assert op(X) == "new"
                undo()
            assert op(X) == "old"
    assert failed


def test_fallback_near_the_recursion_limit(library: Library) -> None:
    """The same for what concerns every operator."""
    op = library.ops.f.default
    assert outcome(op) is None
    for less in range(90):
        try:
            undo = at_depth(room() - less, lambda: library.fallback(answer(1), "NumPy"))
        except RecursionError:
            assert outcome(op) is None
            continue
        assert op(X) == 1
        undo()
        assert outcome(op) is None


def test_guard_near_the_recursion_limit(library: Library) -> None:
    """A guard that could not be entered or left leaves the state it found."""

    def enter_and_leave() -> None:
        with include_keys("Functionalize"), exclude_keys("NumPy"):
            pass

    for less in range(40):
        with suppress(RecursionError):
            at_depth(room() - less, enter_and_leave)
        DISPATCHER.state.set(default_state())
    gc.collect()
    assert not active


def default_state() -> Any:
    """Return the state at the bottom of this thread's."""
    state = DISPATCHER.state.get()
    while state.parent is not None:
        state = state.parent
    return state


SCRIPTS = {
    "guard on at exit": """
        include_keys("Autocast").__enter__()
        ops.neg(x)
    """,
    "generator with a guard at exit": """
        def steps():
            with include_keys("Functionalize"), enable_python_dispatcher():
                yield
        kept = steps()
        next(kept)
    """,
    "library open at exit": """
        library = Library("mine", "DEF")
        op = library.define("f(Tensor x) -> Tensor").op
        library.impl(op, lambda x: x, "NumPy")
        library.fallback(lambda op, x: x, "Dask")
        op(x)
    """,
    "context kept at exit": """
        import contextvars
        with include_keys("Functionalize"):
            kept = contextvars.copy_context()
    """,
    "daemon thread in a guard at exit": """
        import threading, time
        ready = threading.Event()
        def work():
            with enable_python_dispatcher():
                while True:
                    ops.neg(x)
                    ready.set()
        threading.Thread(target=work, daemon=True).start()
        ready.wait()
    """,
    "calls from finalizers at exit": """
        class Late:
            def __init__(self):
                self.cycle = self
            def __del__(self, neg=ops.neg, x=x, guard=enable_python_dispatcher()):
                with guard:
                    neg(x)
        kept = Late(), Late()
        kept[0].__del__()
    """,
    "asyncio task pending at exit": """
        import asyncio
        async def work():
            with include_keys("Batched"):
                await asyncio.Event().wait()
        async def main():
            task = asyncio.create_task(work())
            await asyncio.sleep(0)
        asyncio.run(main())
    """,
    "collected types at exit": """
        for _ in range(10):
            mine = type("Mine", (np.ndarray,), {})
            ops.neg(x.view(mine))
        import gc
        gc.collect()
    """,
    "dispatcher that ends early": """
        import gc
        from keyslot.runtime.dispatcher import Dispatcher
        from keyslot.generated import keys
        Dispatcher(keys.SPACE, keys.DispatchKeySet)
        gc.collect()
    """,
    "imported twice": """
        import sys
        first = ops.neg
        for name in [n for n in sys.modules if n.partition(".")[0] == "keyslot"]:
            del sys.modules[name]
        import keyslot
        assert keyslot.ops.neg is not first
        assert keyslot.ops.neg(x).tolist() == first(x).tolist() == [-1.0]
        with keyslot.include_keys("Functionalize"):
            assert first(x).tolist() == [-1.0]
            try:
                keyslot.ops.neg(x)
            except keyslot.errors.KeyslotError:
                pass
            else:
                raise AssertionError("not the new state")
        assert not keyslot.generated.keys.active
    """,
    "reloaded": """
        import importlib
        import keyslot
        neg = ops.neg
        for name in ("keyslot", "keyslot.generated", "keyslot.runtime"):
            importlib.reload(sys.modules[name])
        assert keyslot.ops.neg is neg
        assert neg(x).tolist() == [-1.0]
    """,
}

PROLOGUE = """
import sys
import numpy as np
from keyslot import Library, enable_python_dispatcher, include_keys, ops
x = np.ones(1)
"""


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_interpreter_ends_in_silence(script: str) -> None:
    """Whatever is on, open or alive at exit, nothing is printed and nothing fails."""
    lines = [line[8:] for line in script.splitlines()]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join([PROLOGUE, *lines])],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
