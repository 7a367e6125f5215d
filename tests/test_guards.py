"""Guards: what they add and take away, and that they put everything back."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import Context, copy_context
from typing import Any, cast

import pytest

from keyslot import (
    DispatchKey,
    below_autograd,
    disable_python_dispatcher,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    include_keys,
    rename_backend,
    snapshot,
)
from keyslot.generated.keys import DISPATCHER, SPACE, active

from .dispatching import UNARY, answer, array, names, operator

X = array()
DEFAULT = ["AutogradNumPy", "ADInplaceOrView", "BackendSelect", "NumPy"]
GUARDS: dict[str, Callable[[], Any]] = {
    "include_keys": lambda: include_keys("Functionalize", DispatchKey.Batched),
    "exclude_keys": lambda: exclude_keys("ADInplaceOrView"),
    "below_autograd": below_autograd,
    "enable_python_dispatcher": enable_python_dispatcher,
    "disable_python_dispatcher": disable_python_dispatcher,
    "dispatch_trace": lambda: dispatch_trace(lambda _: None),
    "restore": lambda: snapshot().restore(),
}
every_guard = pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)


@pytest.fixture(autouse=True)
def nothing_is_on() -> Iterator[None]:
    """Every test starts and ends in the default state, with nothing counted."""
    if active:
        gc.collect()  # Tests of other modules left to it what they switched on.
    assert state() == (DISPATCHER.default, False)
    yield
    assert state() == (DISPATCHER.default, False)


@pytest.fixture
def op() -> Iterator[Any]:
    """An operator with a NumPy kernel."""
    with operator(NumPy=answer("NumPy")) as (_, made):
        yield made


def setting() -> Any:
    """Return what the state of this context says."""
    return DISPATCHER.state.get().setting


def state() -> tuple[Any, bool]:
    """Return what the state of this context says, and whether any is counted."""
    return setting(), bool(active)


def keys(op: Any) -> list[str]:
    """Return the keys of a call with a NumPy array, highest first."""
    return names(op.keys_of((X,), {}))


def named(value: object) -> str:
    """Return the name of a parameter, the same in every process."""
    if isinstance(value, set):
        return repr(sorted(cast("set[str]", value)))
    return repr(value)


@pytest.mark.parametrize(
    ("guard", "added", "removed"),
    [
        (include_keys("Functionalize"), {"Functionalize"}, set[str]()),
        (include_keys(DispatchKey.Functionalize), {"Functionalize"}, set[str]()),
        (include_keys("Autocast"), {"Autocast"}, set[str]()),
        (include_keys("BatchedDecomposition"), {"Batched"}, set[str]()),
        (include_keys("Dask"), {"Dask", "SparseDask", "AutogradDask"}, set[str]()),
        (include_keys(), set[str](), set[str]()),
        (exclude_keys("BackendSelect"), set[str](), {"BackendSelect"}),
        (exclude_keys("NumPy"), set[str](), {"NumPy", "AutogradNumPy"}),
        (exclude_keys(DispatchKey.NumPy), set[str](), {"NumPy", "AutogradNumPy"}),
        (exclude_keys("Autograd"), set[str](), {"AutogradNumPy"}),
        (exclude_keys("Batched", "AutogradNumPy"), set[str](), {"AutogradNumPy"}),
        (below_autograd(), set[str](), {"AutogradNumPy"}),
        (enable_python_dispatcher(), {"PythonDispatcher"}, set[str]()),
        (disable_python_dispatcher(), set[str](), set[str]()),
    ],
    ids=named,
)
def test_guard_changes_the_keys_of_calls(
    op: Any, guard: Any, added: set[str], removed: set[str]
) -> None:
    """A backend means all its runtime keys, an alias key what it expands to."""
    with guard:
        assert set(keys(op)) == {*DEFAULT, *added} - removed
    assert keys(op) == DEFAULT


def test_whole_backends_and_aliases_are_excluded() -> None:
    """No runtime key of an excluded backend or alias is left in any call."""
    for given, gone in (
        ("Torch", SPACE.backend_keys("Torch")),
        ("CompositeImplicitAutograd", SPACE.aliases["CompositeImplicitAutograd"]),
    ):
        with exclude_keys(given):
            assert DISPATCHER.state.get().setting.allowed & SPACE.bits(gone) == 0


def test_renamed_backend_is_known_to_guards(op: Any) -> None:
    """Guards take the names that users gave to a backend, and to its keys."""
    mine = ["AutogradPrivateUse1", "SparsePrivateUse1", "PrivateUse1"]
    with rename_backend("PrivateUse1", "mylib"):
        with include_keys("mylib"):
            assert [key for key in keys(op) if key in mine] == mine
        with include_keys("Sparsemylib"):
            assert [key for key in keys(op) if key in mine] == ["SparsePrivateUse1"]


def test_innermost_guard_has_the_last_word(op: Any) -> None:
    """A key that one guard takes away the next one gives back, and the reverse."""
    with exclude_keys("Functionalize"), include_keys("Functionalize"):
        assert "Functionalize" in keys(op)
        with exclude_keys("Functionalize"):
            assert "Functionalize" not in keys(op)
        assert "Functionalize" in keys(op)
    with disable_python_dispatcher(), enable_python_dispatcher():
        assert setting().python
        with disable_python_dispatcher():
            assert not setting().python


@every_guard
def test_guard_restores_the_very_setting(guard: Callable[[], Any]) -> None:
    """What was there before is back, also under another guard."""
    with guard():
        assert len(active) == 1
    assert state() == (DISPATCHER.default, False)
    with include_keys("PreDispatch"):
        before = setting()
        with guard(), guard():
            assert len(active) == 3
        assert setting() is before


@every_guard
def test_guard_restores_after_an_exception(guard: Callable[[], Any]) -> None:
    """An exception leaves the block as if nothing had been entered."""
    with pytest.raises(ZeroDivisionError), guard(), exclude_keys("NumPy"):
        raise ZeroDivisionError
    assert setting() is DISPATCHER.default


@every_guard
def test_one_guard_object_may_be_entered_again(guard: Callable[[], Any]) -> None:
    """A guard keeps nothing of its own: nested and repeated use are two uses."""
    one = guard()
    for _ in range(2):
        with one:
            outer = setting()
            with one, one:
                pass
            assert setting() is outer
        assert setting() is DISPATCHER.default


@every_guard
def test_entering_a_guard_gives_nothing(guard: Callable[[], Any]) -> None:
    """There is no half-open guard to play with: ``as`` binds None."""
    with guard() as entered:
        assert entered is None


def test_guards_say_what_they_are() -> None:
    """``repr`` of a guard is the call that made it."""
    assert repr(include_keys("NumPy", DispatchKey.Batched)) == (
        "<guard include_keys(NumPy, Batched)>"
    )
    assert repr(below_autograd()) == "<guard exclude_keys(Autograd)>"
    assert repr(snapshot()) == "<Snapshot>"


@pytest.mark.parametrize("make", [include_keys, exclude_keys])
def test_unknown_keys_are_refused_at_once(make: Callable[..., Any]) -> None:
    """A misspelt key fails where the guard is made, with the nearest name."""
    with pytest.raises(errors.UnknownKeyError) as caught:
        make("NumPy", "Autogard")
    assert str(caught.value).startswith(
        "the key space 'keyslot' has no dispatch key 'Autogard'. Did you mean Autograd"
    )
    with pytest.raises(TypeError):
        make(3)


def test_snapshot_is_the_state_of_its_moment(op: Any) -> None:
    """What is entered after a snapshot is not in it, what has ended still is."""
    with include_keys("Functionalize"):
        taken = snapshot()
        with exclude_keys("NumPy"):
            with taken.restore():
                assert keys(op) == ["AutogradNumPy", *keys(op)[1:]]
                assert taken.run(keys, op) == keys(op)
            assert "NumPy" not in keys(op)
    assert taken.run(keys, op)[:2] == ["AutogradNumPy", "ADInplaceOrView"]
    assert "Functionalize" in taken.run(keys, op)
    assert keys(op) == DEFAULT


def test_snapshot_of_the_default_state_turns_guards_off(op: Any) -> None:
    """Work can be done as if no guard were on."""
    default = snapshot()
    with exclude_keys("NumPy"), enable_python_dispatcher():
        assert default.run(keys, op) == DEFAULT
        assert default.run(op, X) == "NumPy"


def test_run_hands_on_arguments_result_and_exceptions() -> None:
    """``run`` is a call like any other."""
    taken = snapshot()
    assert taken.run(dict, [("a", 1)], b=2) == {"a": 1, "b": 2}
    with pytest.raises(ZeroDivisionError):
        taken.run(divmod, 1, 0)


def test_guards_left_out_of_order_leave_nothing_behind(op: Any) -> None:
    """Whoever leaves first takes the inner guards along; the others do nothing."""
    outer, inner = include_keys("Functionalize"), include_keys("Batched")
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert keys(op) == DEFAULT
    inner.__exit__(None, None, None)
    assert keys(op) == DEFAULT


def test_exit_without_entering_changes_nothing(op: Any) -> None:
    """A guard that is not on has nothing to take back."""
    with include_keys("Functionalize"):
        include_keys("Functionalize").__exit__(None, None, None)
        assert "Functionalize" in keys(op)
    below_autograd().__exit__(None, None, None)


def guarded(guard: Any) -> Iterator[int]:
    """Yield twice with a guard on."""
    with guard:
        yield 1
        yield 2


def test_closed_generator_gives_its_guard_back(op: Any) -> None:
    """A generator shares its caller's state, and restores it when it is closed."""
    steps = guarded(include_keys("Functionalize"))
    next(steps)
    assert "Functionalize" in keys(op)
    steps.close()  # type: ignore[attr-defined] # a generator
    assert keys(op) == DEFAULT


def test_generator_that_outlives_a_guard_restores_the_default(op: Any) -> None:
    """Two generators that end in the order of their start leave nothing behind."""
    first, second = guarded(include_keys("Batched")), guarded(exclude_keys("NumPy"))
    next(first)
    next(second)
    assert [*first] == [2]
    assert [*second] == [2]
    assert keys(op) == DEFAULT


def test_generator_run_to_its_end_in_a_context_of_its_own(op: Any) -> None:
    """A generator driven in a copied context does not show outside."""
    steps, context = guarded(include_keys("Functionalize")), copy_context()
    assert context.run(next, steps) == 1
    assert keys(op) == DEFAULT
    assert "Functionalize" in context.run(keys, op)
    assert context.run(next, steps) == 2
    context.run(list, steps)
    assert context.run(keys, op) == DEFAULT


def test_guard_left_in_another_context_changes_nothing(op: Any) -> None:
    """Leaving where the guard was never entered restores nothing of that place."""
    steps = guarded(include_keys("Functionalize"))
    context = copy_context()
    context.run(next, steps)
    with include_keys("Batched"):
        assert [*steps] == [2]
        assert "Batched" in keys(op)


def test_copied_context_keeps_the_state_of_a_guard_that_has_ended(op: Any) -> None:
    """A context is a value: it is unmoved by the end of the guard it was taken in."""
    with include_keys("Functionalize"):
        context: Context | None = copy_context()
    assert keys(op) == DEFAULT
    assert context is not None
    assert active  # somebody still holds the state, so calls must look
    assert "Functionalize" in context.run(keys, op)
    context = None


def test_ten_thousand_nested_guards_end_cleanly() -> None:
    """Neither entering nor leaving, nor dropping all at once, recurses."""
    with ExitStack() as stack:
        for _ in range(10_000):
            stack.enter_context(include_keys("Functionalize"))
        assert len(active) == 10_000
    assert not active

    def enter() -> None:
        for _ in range(10_000):
            include_keys("Functionalize").__enter__()

    copy_context().run(enter)
    gc.collect()
    assert not active


def test_state_objects_are_few() -> None:
    """Equal states share one setting, so that caches are kept once for each."""
    with include_keys("Functionalize", "Batched"):
        one = setting()
    with include_keys("Batched"), include_keys("Functionalize"):
        assert setting() is one
    with include_keys("Batched"), exclude_keys("Batched"):
        other = setting()
    with include_keys("Batched"), exclude_keys("Batched"):
        assert setting() is other


def test_calls_follow_the_state() -> None:
    """The kernel of a call is that of its moment, however often it was made before."""
    kernels = {key: answer(key) for key in ("NumPy", "Functionalize")}
    with operator(UNARY, **kernels) as (_, op):
        for _ in range(3):
            assert op(X) == "NumPy"
            with include_keys("Functionalize"):
                assert op(X) == "Functionalize"
                with exclude_keys("Functionalize"):
                    assert op(X) == "NumPy"


def test_trace_guard_writes_only_while_it_is_on(op: Any) -> None:
    """Every call under the guard is a line, the calls before and after are not."""
    lines: list[str] = []
    op(X)
    with dispatch_trace(lines.append):
        op(X)
        with include_keys("Functionalize"), pytest.raises(errors.KeyslotError):
            op(X)
        op(X)
    op(X)
    assert len(lines) == 2
