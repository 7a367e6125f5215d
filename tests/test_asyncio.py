"""asyncio: every task has a dispatch state of its own, taken over from its maker."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any

import pytest

from keyslot import enable_python_dispatcher, exclude_keys, include_keys, snapshot
from keyslot.generated.keys import active

from .dispatching import answer, array, names, operator

X = array()
KEYS = ("Functionalize", "Batched", "PreDispatch", "Autocast")


@pytest.fixture
def op() -> Iterator[Any]:
    """An operator with a kernel at each key that a test includes."""
    with operator(NumPy=answer("NumPy")) as (library, made):
        for key in KEYS:
            library.impl(made, answer(key), key)
        yield made
    assert not active


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run a test's coroutine in an event loop of its own."""
    asyncio.run(main)
    gc.collect()


def test_tasks_have_states_of_their_own(op: Any) -> None:
    """Guards of tasks that take turns never meet."""

    async def work(key: str) -> list[Any]:
        seen: list[Any] = []
        for _ in range(20):
            with include_keys(key):
                await asyncio.sleep(0)
                seen.append(op(X))
            await asyncio.sleep(0)
            seen.append(op(X))
        return seen

    async def main() -> None:
        results = await asyncio.gather(*map(work, KEYS))
        assert results == [[key, "NumPy"] * 20 for key in KEYS]

    run(main())


def test_task_keeps_the_guard_it_was_made_under(op: Any) -> None:
    """The state outlives its guard for as long as a task holds it, and no longer."""

    async def main() -> None:
        go = asyncio.Event()

        async def work() -> Any:
            await go.wait()
            return op(X)

        with include_keys("Functionalize"):
            tasks = [asyncio.create_task(work()) for _ in range(2)]
            assert op(X) == "Functionalize"
        assert op(X) == "NumPy"
        assert len(active) == 1  # one state, which both tasks hold
        go.set()
        assert await tasks.pop() == "Functionalize"
        assert await tasks.pop() == "Functionalize"
        # The last holders are gone with their tasks, as far as the loop lets go.
        await asyncio.sleep(0)
        assert not active
        assert op(X) == "NumPy"

    run(main())


def test_count_goes_back_with_the_last_holder(op: Any) -> None:
    """While one of several tasks is left, calls everywhere still look at the state."""

    async def main() -> None:
        events = [asyncio.Event() for _ in range(3)]
        with include_keys("Functionalize"):
            tasks = [asyncio.create_task(event.wait()) for event in events]
        await asyncio.sleep(0)
        while tasks:
            assert len(active) == 1
            events.pop().set()
            await tasks.pop()
            await asyncio.sleep(0)
        assert not active

    run(main())


def test_guard_of_a_task_does_not_reach_its_maker(op: Any) -> None:
    """What a task switches on ends with the task, also when it is cancelled."""

    async def work(entered: asyncio.Event) -> None:
        with include_keys("Functionalize"), enable_python_dispatcher():
            entered.set()
            # Not a sleep: its timer would hold the context until it was due.
            await asyncio.Event().wait()

    async def main() -> None:
        entered = asyncio.Event()
        task = asyncio.create_task(work(entered))
        await entered.wait()
        assert op(X) == "NumPy"
        assert active
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        del task
        gc.collect()
        assert not active

    run(main())


def test_guard_around_await_holds_over_it(op: Any) -> None:
    """A guard in a coroutine is still on after other tasks had their turn."""

    async def main() -> None:
        async def other() -> Any:
            return op(X)

        with include_keys("Functionalize"):
            inherited = asyncio.create_task(other())
            with exclude_keys("Functionalize"):
                await asyncio.sleep(0)
                assert op(X) == "NumPy"
            assert await inherited == "Functionalize"
            assert op(X) == "Functionalize"

    run(main())


def test_async_generator_gives_its_guard_back(op: Any) -> None:
    """A guard held over a ``yield`` ends when the generator is closed."""

    async def steps() -> AsyncIterator[Any]:
        with include_keys("Functionalize"):
            yield op(X)

    async def main() -> None:
        generator = steps()
        assert await anext(generator) == "Functionalize"
        await generator.aclose()  # type: ignore[attr-defined] # a generator
        assert op(X) == "NumPy"

    run(main())


def test_worker_threads_take_the_state_along(op: Any) -> None:
    """``to_thread`` copies the context; an executor needs a snapshot."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with include_keys("Functionalize"):
            assert await asyncio.to_thread(op, X) == "Functionalize"
            assert await loop.run_in_executor(None, op, X) == "NumPy"
            carried = snapshot()
            result = await loop.run_in_executor(None, lambda: carried.run(op, X))
            assert result == "Functionalize"
            assert "Functionalize" in carried.run(names, op.keys_of((X,), {}))

    run(main())


def test_callbacks_run_in_the_state_they_were_scheduled_in(op: Any) -> None:
    """``call_soon`` and ``call_later`` keep the context of the moment."""

    async def main() -> None:
        seen: list[Any] = []
        loop = asyncio.get_running_loop()
        with include_keys("Functionalize"):
            loop.call_soon(lambda: seen.append(op(X)))
        loop.call_soon(lambda: seen.append(op(X)))
        await asyncio.sleep(0)
        assert seen == ["Functionalize", "NumPy"]

    run(main())
