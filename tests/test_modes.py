"""Modes: who is asked about a call, in which order, and what it sees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from threading import Thread
from typing import Any

import numpy as np
import pytest

from keyslot import (
    Library,
    Tensor,
    enable_python_dispatcher,
    exclude_keys,
    include_keys,
    ops,
    snapshot,
)
from keyslot.runtime.errors import DispatchRefusedError, NotAnOverloadError
from keyslot.transforms import (
    DispatchMode,
    MetaTensor,
    functionalize,
    grad,
    jvp,
    no_grad,
    vmap,
)

X = np.arange(1.0, 7.0).reshape(2, 3)


class Log(DispatchMode):
    """Notes the operators that it sees, and lets them go on."""

    def __init__(self, seen: list[str], name: str = "") -> None:
        super().__init__()
        self.seen = seen
        self.name = name

    def __keyslot_dispatch__(
        self,
        op: Any,
        types: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        self.seen.append(self.name + op.schema.name)
        return op(*args, **kwargs)


class EarlyLog(Log):
    """Does so before gradients and batches."""

    pre_dispatch = True


class Refusing(DispatchMode):
    """Takes no call."""


class Broken(DispatchMode):
    """Raises an error of its own."""

    def __keyslot_dispatch__(
        self, op: Any, types: Any, args: Any, kwargs: Any
    ) -> object:
        raise KeyError("broken")


def seen_by(
    kind: Callable[[list[str]], DispatchMode], program: Callable[[], object]
) -> list[str]:
    """Return the operators that a mode sees of a program."""
    seen: list[str] = []
    with kind(seen):
        program()
    return seen


# --- order ----------------------------------------------------------------------------


def test_innermost_mode_comes_first_and_is_taken_away() -> None:
    """What it calls goes to the next one out."""
    seen: list[str] = []
    with Log(seen, "outer "), Log(seen, "inner "):
        ops.mul(X, X)
    assert seen == ["inner mul", "outer mul"]
    ops.mul(X, X)
    assert len(seen) == 2


def test_mode_that_refuses_gives_way_to_the_next() -> None:
    """It is not asked again about what that one calls."""
    seen: list[str] = []
    asked: list[str] = []

    class Noting(DispatchMode):
        def __keyslot_dispatch__(self, op: Any, *call: Any) -> object:
            asked.append(op.schema.name)
            return NotImplemented

    with Log(seen, "outer "), Noting(), Log(seen, "inner "):
        found = ops.mul(X, X)
    np.testing.assert_array_equal(found, X * X)
    assert (seen, asked) == (["inner mul", "outer mul"], ["mul"])


def test_call_that_all_refuse_names_all_of_them() -> None:
    """In the order in which they were asked, modes and classes."""

    class Named(Refusing):
        def __repr__(self) -> str:
            return "the named one"

    class Never(np.ndarray[Any, Any]):
        @classmethod
        def __keyslot_dispatch__(cls, *call: Any) -> object:
            return NotImplemented

    with Refusing(), Named(), pytest.raises(DispatchRefusedError) as raised:
        ops.mul(X, X.view(Never))
    assert isinstance(raised.value, TypeError)
    order = ["mul", "the mode the named one", "the mode <Refusing>", Never.__qualname__]
    places = [str(raised.value).index(text) for text in order]
    assert places == sorted(places)


def test_one_mode_is_entered_again() -> None:
    """Inside itself and after it was left, each time once more."""
    seen: list[str] = []
    mode = Log(seen)
    with mode, mode:
        ops.mul(X, X)
    with mode:
        ops.add(X, X)
    assert seen == ["mul", "mul", "add"]


def test_mode_entered_by_its_own_handler() -> None:
    """It sees the calls in there."""

    class Doubling(Log):
        def __keyslot_dispatch__(
            self, op: Any, types: Any, args: Any, kwargs: Any
        ) -> Any:
            if self.seen:
                return super().__keyslot_dispatch__(op, types, args, kwargs)
            self.seen.append("first")
            with self:
                return ops.add(*args)

    assert seen_by(Doubling, lambda: ops.mul(X, X)) == ["first", "add"]


# --- kernels of a class of modes ------------------------------------------------------


class Counting(Refusing):
    """Has a kernel for one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0


class CountingMore(Counting):
    """Has its kernels too, and one more."""


@ops.mul.Tensor.py_impl(Counting)
def count_mul(mode: Counting, self: Any, other: Any) -> Any:
    """Count a multiplication."""
    mode.count += 1
    return ops.mul(self, other)


@CountingMore.kernel(ops.add.Tensor)
def count_add(mode: CountingMore, self: Any, other: Any, *, alpha: Any) -> Any:
    """Count an addition ten times."""
    mode.count += 10
    return ops.add(self, other, alpha=alpha)


@pytest.mark.parametrize(("kind", "count"), [(Counting, 1), (CountingMore, 11)])
def test_kernels_of_a_class_of_modes(kind: type[Counting], count: int) -> None:
    """They come before the method; subclasses inherit them."""
    with Log([]), kind() as mode:
        np.testing.assert_array_equal(ops.mul(X, X), X * X)
        np.testing.assert_array_equal(ops.add(X, X, alpha=2), 3 * X)
    assert mode.count == count


def test_subclass_has_a_kernel_in_the_place_of_an_inherited_one() -> None:
    """That of the nearest class is called."""

    class Other(Counting):
        pass

    Other.kernel(ops.mul.Tensor)(lambda mode, self, other: "other")
    with Other():
        assert ops.mul(X, X) == "other"  # type: ignore[comparison-overlap]  # the kernel


def test_kernels_are_for_overloads() -> None:
    """A packet is not one."""
    with pytest.raises(NotAnOverloadError):
        Counting.kernel(ops.mul)  # type: ignore[arg-type]  # what is refused


# --- state ----------------------------------------------------------------------------


def test_exception_leaves_nothing_behind() -> None:
    """It passes through as it is, and no mode stays in force."""
    seen: list[str] = []
    with pytest.raises(KeyError, match="broken"), Log(seen), Broken():
        ops.mul(X, X)
    with Log(seen), pytest.raises(KeyError), Broken():
        ops.mul(X, X)
    ops.mul(X, X)
    assert seen == []


def test_mode_goes_on_after_an_exception_in_its_handler() -> None:
    """The state that the handler ran in is gone."""
    seen: list[str] = []
    with Log(seen):
        with pytest.raises(ValueError, match="shape"):
            ops.view(X, [5])
        ops.mul(X, X)
    assert seen == ["view", "mul"]


def test_excluded_python_key() -> None:
    """It keeps modes off, but not one that is entered inside."""
    seen: list[str] = []
    with Log(seen, "outer "), exclude_keys("Python"):
        ops.mul(X, X)
        with Log(seen, "inner "):
            ops.mul(X, X)
    assert seen == ["inner mul", "outer mul"]


def test_included_python_key_without_modes() -> None:
    """Nobody is asked, and the call is what it is without the key."""
    for x in (X, Tensor(X)):
        with include_keys("Python"):
            np.testing.assert_array_equal(np.asarray(ops.mul(x, x)), X * X)


def test_threads_have_modes_of_their_own() -> None:
    """A new one starts without; one object may be in force on several."""
    seen: list[str] = []
    mode = Log(seen)

    def run() -> None:
        ops.sub(X, X)
        with mode:
            ops.add(X, X)
        ops.sub(X, X)

    with mode:
        threads = [Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ops.mul(X, X)
    assert seen == ["add"] * 4 + ["mul"]


def test_snapshot_carries_modes() -> None:
    """To another thread, and beyond their end."""
    seen: list[str] = []
    with Log(seen):
        state = snapshot()
    ops.sub(X, X)
    state.run(ops.mul, X, X)
    thread = Thread(target=state.run, args=(ops.add, X, X))
    thread.start()
    thread.join()
    with state.restore():
        ops.neg(X)
    assert seen == ["mul", "add", "neg"]


def test_tasks_inherit_modes() -> None:
    """Each goes on with those in which it was made."""
    seen: list[str] = []

    async def step() -> None:
        await asyncio.sleep(0)
        ops.mul(X, X)

    async def program() -> None:
        with Log(seen):
            inside = asyncio.create_task(step())
        outside = asyncio.create_task(step())
        await inside
        await outside

    asyncio.run(program())
    assert seen == ["mul"]


def test_modes_under_the_python_dispatcher() -> None:
    """They are called as without it."""
    with enable_python_dispatcher():
        assert seen_by(Log, lambda: ops.softmax(X, -1)) == ["_softmax"]


# --- what they see --------------------------------------------------------------------


def loss(x: Any) -> Any:
    """A composite, and a sum of it."""
    return ops.sum(ops.softmax(x, -1))


def backward() -> None:
    """Differentiate a Tensor."""
    loss(Tensor(X, requires_grad=True)).backward()


#: Programs, and the first operators that modes see of them, below and above gradients.
PROGRAMS: dict[str, tuple[Callable[[], object], list[str], list[str]]] = {
    "plain": (lambda: loss(X), ["_softmax", "sum"], ["softmax", "sum"]),
    "Tensor": (lambda: loss(Tensor(X)), ["_softmax", "sum"], ["softmax", "sum"]),
    "MetaTensor": (
        lambda: loss(MetaTensor((2, 3), "float64")),
        ["_softmax", "sum"],
        ["softmax", "sum"],
    ),
    "backward": (backward, ["_softmax", "sum", "full_like"], ["softmax", "sum"]),
    "grad": (
        lambda: grad(loss)(X),
        ["_softmax", "sum", "full_like"],
        ["softmax", "sum", "full_like"],
    ),
    "jvp": (lambda: jvp(loss, (X,), (X,)), ["_softmax", "mul"], ["softmax", "sum"]),
    "vmap": (lambda: vmap(loss)(X), ["_softmax", "sum"], ["softmax", "sum"]),
    "vmap of grad": (
        lambda: vmap(grad(loss))(X),
        ["_softmax", "sum", "full_like"],
        ["softmax", "sum", "full_like"],
    ),
    "functionalize": (
        lambda: functionalize(lambda x: ops.mul_(ops.clone(x), 2))(X),
        ["clone", "mul"],
        ["clone", "mul_"],
    ),
    "no_grad": (
        no_grad()(lambda: loss(Tensor(X, requires_grad=True))),
        ["_softmax", "sum"],
        ["softmax", "sum"],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_modes_see(name: str) -> None:
    """The operators below transforms, or those that the program calls."""
    program, below, above = PROGRAMS[name]
    assert seen_by(Log, program)[: len(below)] == below
    assert seen_by(EarlyLog, program)[: len(above)] == above


def test_mode_sees_plain_arrays_below_transforms() -> None:
    """Their wrappers have been opened."""
    types: set[type] = set()

    class Types(DispatchMode):
        def __keyslot_dispatch__(
            self, op: Any, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
        ) -> Any:
            types.update(map(type, args))
            return op(*args, **kwargs)

    with Types():
        vmap(grad(lambda x: ops.sum(x * x)))(X)
    assert not any(issubclass(kind, Tensor) for kind in types)


def test_early_and_late_modes_at_once() -> None:
    """The early one is first, wherever it is in the stack."""
    for kinds in ((EarlyLog, Log), (Log, EarlyLog)):
        seen: list[str] = []
        with ExitStack() as stack:
            for kind in kinds:
                stack.enter_context(kind(seen, f"{kind.__name__} "))
            ops.softmax(X, -1)
        assert seen == ["EarlyLog softmax", "Log _softmax"]


def test_mode_inside_of_a_transformed_function() -> None:
    """It sees the calls that the transform makes while it is in force."""
    seen: list[str] = []

    def program(x: Any) -> Any:
        with Log(seen):
            y = ops.sin(x)
        return ops.sum(y * y)

    np.testing.assert_allclose(grad(program)(X), np.sin(2 * X))
    assert seen == ["sin"]


def test_defaults_are_filled_in() -> None:
    """Modes get all arguments of the schema, as kernels do."""
    calls: list[Any] = []

    class Calls(DispatchMode):
        def __keyslot_dispatch__(
            self, op: Any, types: Any, args: Any, kwargs: Any
        ) -> Any:
            calls.append((len(args), kwargs))
            return op(*args, **kwargs)

    with Calls():
        ops.add(X, X)
    assert calls == [(2, {"alpha": 1})]


def test_operators_of_users_go_to_modes(library: Library) -> None:
    """Those that are defined at run time as well."""
    op = library.define("twice(Tensor x) -> Tensor").op
    library.impl("twice", lambda x: x * 2, "NumPy")
    assert seen_by(Log, lambda: op(X)) == ["twice"]
