"""Threads: state is each thread's own, and no call sees a torn or an old kernel."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKeySet,
    Library,
    below_autograd,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    include_keys,
    register_array_type,
    snapshot,
)
from keyslot.generated.keys import active

from .dispatching import Foreign, answer, array, fresh_library, names, operator

pytestmark = pytest.mark.usefixtures("few_operators")

THREADS = 8
X = array()


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Let threads take turns as often as the interpreter allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def keys_seen(op: Any) -> list[str]:
    """Return the keys that a call of a one-argument operator has in this thread."""
    return names(op.keys_of((X,), {}))


def test_new_thread_starts_from_the_default_state() -> None:
    """A guard of one thread says nothing to threads started under it."""
    with operator(NumPy=answer(1)) as (_, op), ThreadPoolExecutor(1) as pool:
        default = keys_seen(op)
        with include_keys("Functionalize"), exclude_keys("ADInplaceOrView"):
            assert keys_seen(op) != default
            assert pool.submit(keys_seen, op).result() == default
            assert active


def test_snapshot_carries_the_state_to_another_thread() -> None:
    """``restore`` and ``run`` give a worker the state of the one who asks."""
    with operator(NumPy=answer(1)) as (_, op), ThreadPoolExecutor(1) as pool:
        with below_autograd(), include_keys("Functionalize"):
            carried, here = snapshot(), keys_seen(op)

        def restored() -> list[str]:
            with carried.restore():
                return keys_seen(op)

        assert pool.submit(restored).result() == here
        assert pool.submit(carried.run, keys_seen, op).result() == here
        assert pool.submit(keys_seen, op).result() != here
    assert not active


def test_guards_of_threads_do_not_meet() -> None:
    """Threads under different guards, at the same time, each see their own keys."""
    keys = ["Functionalize", "Batched", "PreDispatch", "Autocast"]
    together = threading.Barrier(len(keys))

    def look(op: Any, key: str) -> set[str]:
        seen: set[str] = set()
        for _ in range(50):
            with include_keys(key):
                together.wait(10)
                seen |= set(keys_seen(op)) & set(keys)
        return seen

    with operator(NumPy=answer(1)) as (_, op), ThreadPoolExecutor(len(keys)) as pool:
        seen = pool.map(look, [op] * len(keys), keys)
        assert [*seen] == [{key} for key in keys]
    assert not active


def call_function(op: Any, library: Library) -> Any:
    """Call the operator's function, the front door."""
    return library.ops.f(X)


def call_under_guard(op: Any, library: Library) -> Any:
    """Call in another state than the default."""
    with below_autograd():
        return op(X)


def call_under_python(op: Any, library: Library) -> Any:
    """Call under the Python dispatcher."""
    with enable_python_dispatcher():
        return op(X)


def redispatch_under_python(op: Any, library: Library) -> Any:
    """Redispatch under the Python dispatcher."""
    with enable_python_dispatcher():
        return op.redispatch(DispatchKeySet("NumPy"), X)


WAYS: dict[str, Callable[[Any, Library], Any]] = {
    "function": call_function,
    "overload": lambda op, _: op(X),
    "by name": lambda op, _: op(x=X),
    "slot": lambda op, _: op.NumPy(X),
    "redispatch": lambda op, _: op.redispatch(DispatchKeySet("NumPy"), X),
    "at": lambda op, _: op.at("NumPy", X),
    "kernel_for": lambda op, _: op.kernel_for(type(X))(X),
    "guard": call_under_guard,
    "python": call_under_python,
    "python redispatch": redispatch_under_python,
}


def registered(library: Library, op: Any, number: int) -> Callable[[], None]:
    """Put a kernel in force that returns ``number``."""
    return library.impl(op, answer(number), "NumPy", override=True)


def registered_python(library: Library, op: Any, number: int) -> Callable[[], None]:
    """Put a Python kernel in force that returns ``number``."""
    return library.py_impl(op, answer(number), "NumPy", override=True)


def registered_fallback(library: Library, op: Any, number: int) -> Callable[[], None]:
    """Put a backend fallback in force that returns ``number``."""
    return library.fallback(answer(number), "NumPy", override=True)


def race(
    library: Library,
    op: Any,
    register: Callable[[Library, Any, int], Callable[[], None]],
    way: Callable[[Any, Library], Any],
    rounds: int,
) -> None:
    """Call from many threads while kernels come and go; none may be seen too late."""
    in_force = newest = 0
    done = False
    undo = register(library, op, 0)
    wrong: list[object] = []

    def call() -> None:
        while not done and not wrong:
            at_least = in_force
            try:
                got = way(op, library)
            except Exception as error:
                wrong.append(error)
            else:
                if not at_least <= got <= newest:
                    wrong.append((at_least, got, newest))

    threads = [threading.Thread(target=call) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for number in range(1, rounds):
        newest = number
        newer = register(library, op, number)
        in_force = number
        undo()
        undo = newer
    done = True
    for thread in threads:
        thread.join()
    undo()
    assert wrong == []


@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize("way", WAYS)
def test_call_sees_every_kernel_registered_before_it(way: str) -> None:
    """A call that starts after ``impl`` returned never reaches an older kernel."""
    with operator() as (library, op):
        race(library, op, registered, WAYS[way], 300)


@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize(
    ("register", "way"),
    [
        (registered_python, "python"),
        (registered_python, "python redispatch"),
        (registered_python, "slot"),
        (registered_fallback, "function"),
        (registered_fallback, "slot"),
        (registered_fallback, "python"),
    ],
)
def test_python_kernels_and_fallbacks_are_seen_as_soon(
    register: Callable[[Library, Any, int], Callable[[], None]], way: str
) -> None:
    """What changes the Python table, or the tables of all operators, likewise."""
    with operator() as (library, op):
        race(library, op, register, WAYS[way], 150)


@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize("way", ["function", "slot", "at", "python"])
def test_fresh_operator_is_met_by_many_threads_at_once(way: str) -> None:
    """The first calls of an operator race its second registration."""
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(15):
            together = threading.Barrier(THREADS + 1)
            with operator(NumPy=answer(0)) as (library, op):

                def call(op: Any, library: Library, start: threading.Barrier) -> Any:
                    start.wait(10)
                    return WAYS[way](op, library)

                calls = [
                    pool.submit(call, op, library, together) for _ in range(THREADS)
                ]
                together.wait(10)
                library.impl(op, answer(1), "NumPy", override=True)
                assert WAYS[way](op, library) == 1
                assert {made.result() for made in calls} <= {0, 1}
                assert WAYS[way](op, library) == 1


def until(done: threading.Event, act: Callable[[], Any], wrong: list[Any]) -> None:
    """Do something again and again until an event is set; note what goes wrong."""
    while not done.is_set() and not wrong:
        try:
            act()
        except Exception as error:
            wrong.append(error)


def at_once(actors: list[Callable[[], Any]], main: Callable[[], Any]) -> list[Any]:
    """Let threads act while ``main`` runs in this one; return what went wrong."""
    done = threading.Event()
    wrong: list[Any] = []
    threads = [threading.Thread(target=until, args=(done, a, wrong)) for a in actors]
    for thread in threads:
        thread.start()
    try:
        main()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    return wrong


@pytest.mark.usefixtures("eager_switching")
def test_array_type_means_the_same_to_all_caches() -> None:
    """A type that changes hands is seen at its new backend by the next call."""
    x = Foreign()

    with operator(Dask=answer("Dask"), JAX=answer("JAX")) as (_, op):

        def call() -> None:
            assert op(x) in ("Dask", "JAX")

        def change_hands() -> None:
            for round_ in range(150):
                backend = ("Dask", "JAX")[round_ % 2]
                with register_array_type(Foreign, backend):
                    assert op(x) == backend
                    assert op(x=x) == backend

        with register_array_type(Foreign, "Dask"):
            assert at_once([call] * 4, change_hands) == []


@pytest.mark.usefixtures("eager_switching")
def test_caches_come_and_go_while_kernels_change() -> None:
    """Looking at a call makes caches for a moment; none of the others is left out."""
    with operator(NumPy=answer(-1)) as (library, op):

        def change() -> None:
            for number in range(150):
                with library.impl(op, answer(number), "NumPy", override=True):
                    assert op(X) == number
                    assert op(x=X) == number

        looking = [lambda: op.keys_of((X,), {}), lambda: op.explain(X)]
        assert at_once([*looking, *looking], change) == []


@pytest.mark.usefixtures("eager_switching")
def test_operators_appear_while_fallbacks_change() -> None:
    """Going through all operators and making new ones do not disturb each other."""
    with fresh_library() as library:

        def define() -> None:
            with library.define("made(Tensor x) -> Tensor") as made:
                assert made is not None

        def change() -> None:
            for number in range(30):
                with library.fallback(answer(number), "SparseMeta"):
                    pass

        assert at_once([define], change) == []


@pytest.mark.usefixtures("eager_switching")
def test_library_is_closed_while_its_operator_runs() -> None:
    """Calls succeed until the close, and say that it is gone from then on."""
    for _ in range(10):
        with operator(NumPy=answer("there")) as (library, op):
            closed = threading.Event()

            def call(op: Any = op, closed: threading.Event = closed) -> None:
                late = closed.is_set()
                with suppress(errors.OperatorRemovedError):
                    assert op(X) == "there"
                    assert not late

            def close(
                library: Library = library, closed: threading.Event = closed
            ) -> None:
                time.sleep(0.005)
                library.close()
                closed.set()
                time.sleep(0.005)

            assert at_once([call] * 4, close) == []


@pytest.mark.usefixtures("small_heap", "eager_switching")
def test_collections_do_not_disturb_calls_and_registrations() -> None:
    """Caches that are emptied on another thread lose no handler for good."""
    with operator(NumPy=answer(-1)) as (library, op):
        mine = type("Mine", (np.ndarray,), {})

        def change() -> None:
            for number in range(100):
                with library.impl(op, answer(number), "NumPy", override=True):
                    assert op(X) == number
                    assert op(X.view(mine)) == number

        def call() -> None:
            assert op(X.view(mine)) >= -1

        assert at_once([gc.collect, call, call], change) == []


def test_state_of_a_thread_ends_with_the_thread() -> None:
    """A thread that ends inside a guard leaves nothing counted."""

    def work() -> None:
        include_keys("Functionalize").__enter__()
        assert active

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert not active


def test_one_guard_serves_many_threads() -> None:
    """A guard object has no state of its own that threads could share."""
    guard = include_keys("Functionalize")

    with operator(NumPy=answer(1)) as (_, op), ThreadPoolExecutor(THREADS) as pool:

        def look(_: int) -> bool:
            with guard, guard:
                inside = "Functionalize" in keys_seen(op)
            return inside and "Functionalize" not in keys_seen(op)

        with guard:
            assert all(pool.map(look, range(100)))
    assert not active
