"""The flag that generated modules ask: whether any thread has a state of its own."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from keyslot import include_keys, ops
from keyslot.generated.keys import DISPATCHER
from keyslot.runtime.state import ActiveStates

OPS: Any = ops


def test_flag_of_a_module_says_whether_a_guard_is_on() -> None:
    """Nested guards change nothing until the last one has ended."""
    seen: list[Any] = []

    def look() -> None:
        seen.append(OPS.mul.__globals__["active"])

    look()
    with include_keys("NumPy"):
        look()
        with include_keys("NumPy"):
            look()
        look()
    look()
    assert seen == [False, True, True, True, False]


def test_module_that_comes_later_knows_at_once() -> None:
    """A module that is imported under a guard starts with the flag set."""
    module: dict[str, Any] = {}
    with include_keys("NumPy"):
        module["active"] = DISPATCHER.active.follow(module)
        assert module["active"] is True
    assert module["active"] is False


def test_flag_is_seen_by_other_threads() -> None:
    """A guard on one thread makes calls on another ask for their own state."""
    seen: list[Any] = []

    def call() -> None:
        seen.append(OPS.mul.__globals__["active"])
        seen.append(OPS.mul(np.array([2.0]), 3.0).tolist())

    with include_keys("AutogradNumPy"):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert seen == [True, [6.0]]


class Interrupting(dict[str, Any]):
    """A module whose flag cannot be set without something else happening first."""

    def __init__(self, act: Any) -> None:
        super().__init__()
        self.act = act

    def __setitem__(self, name: str, value: Any) -> None:
        act, self.act = self.act, lambda: None
        act()
        super().__setitem__(name, value)


@pytest.mark.parametrize("on", [False, True])
def test_finalizer_in_between_has_the_last_word(on: bool) -> None:
    """A state that ends, or appears, while flags are being set is not overlooked."""
    states = ActiveStates()
    if not on:
        states.add()
    first = Interrupting(states.drop if on else states.add)
    modules: list[dict[str, Any]] = [{}, first, {}]
    for module in modules:
        module.setdefault("active", states.follow(module))
    (states.add if on else states.drop)()
    assert [module["active"] for module in modules if module is not first] == [
        not on
    ] * 2
    assert bool(states) is not on


def test_many_threads_count_right() -> None:
    """Guards that come and go on many threads leave the flag as it was."""
    flags = OPS.mul.__globals__
    wrong: list[Any] = []

    def come_and_go() -> None:
        for _ in range(500):
            with include_keys("NumPy"):
                if flags["active"] is not True:
                    wrong.append("a guard was on and the flag was not")

    threads = [threading.Thread(target=come_and_go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert flags["active"] is False
    assert len(DISPATCHER.active) == 0
