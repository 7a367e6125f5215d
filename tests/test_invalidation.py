"""Invalidation: a registration empties what reads the changed key, nothing else."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import permutations, product
from types import FrameType
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKeySet,
    Library,
    enable_python_dispatcher,
    errors,
    include_keys,
    ops,
    with_keyset,
)
from keyslot.generated.keys import SPACE, Overload
from keyslot.runtime import resolve_table
from keyslot.runtime.registrations import Registration
from keyslot.transforms.tensor import Tensor

from .dispatching import (
    BUILT_IN,
    answer,
    array,
    cells_reading,
    fresh_library,
    names,
)

X = array()
GENERATED: Any = ops
EVERY_KEY = [*SPACE.keys, *SPACE.aliases]
#: What the operators of these tests have, so that every rule of the table is met.
THERE = ("NumPy", "SparseDask", "CompositeImplicitAutograd", "Autograd", "Batched")
every_key = pytest.mark.parametrize("key", EVERY_KEY)


@pytest.fixture
def library() -> Iterator[Library]:
    """A Library with two equal operators, ``f`` and ``g``."""
    with fresh_library() as made:
        for name in ("f", "g"):
            op = made.define(f"{name}(Tensor x) -> Tensor").op
            for key in THERE:
                made.impl(op, answer(key), key)
        yield made


def loaded(op: Any) -> dict[str, Any]:
    """Return the handlers in the slots of an operator."""
    found: dict[str, Any] = {}
    for key in SPACE.keys:
        try:
            found[key] = vars(Overload)[key].__get__(op)
        except AttributeError:
            continue
    return found


def fill(op: Any) -> None:
    """Load every slot, and call at every key with the Python dispatcher off and on.

    At the key alone, and as the highest of a key set.
    """
    for key in SPACE.keys:
        getattr(op, key)
        calls = partial(op.at, key), partial(op.redispatch, below_too(key))
        for guard, call in product((include_keys, enable_python_dispatcher), calls):
            with guard(), suppress(errors.KeyslotError):
                call(X)


def below_too(key: str) -> DispatchKeySet:
    """Return the key set of an array of NumPy up to a key, and the key."""
    brought = DispatchKeySet(("AutogradNumPy", "NumPy"))
    return brought.below(key) | DispatchKeySet(key)


#: The cells that a handler was made from, by whether the Python dispatcher was on and
#: what the handler is kept for: a key, or the bits of a key set.
Cells = dict[tuple[bool, Any], set[str]]


def kept(op: Any) -> tuple[set[str], Cells]:
    """Return which slots are filled, and what calls from keys have handlers for.

    `at` keeps them by the key, `redispatch` by the bits of the key set: the built-in
    fallbacks go on below their own key with it.
    """
    direct = {(s.python, key): cells_read(op, s.python, key) for s, key in op.direct}
    return set(loaded(op)), direct


def cells_read(op: Any, python: bool, key: tuple[str] | int) -> set[str]:
    """Return the cells that decide what a call at a key, or from a key set, reaches."""
    if isinstance(key, tuple):
        return {*key}
    kinds = cell_kinds(op.python_table if python else op.dispatch_table)
    read: set[str] = set()
    # The Python dispatcher is no key that a call comes to.
    keys = DispatchKeySet.from_bits(key) - DispatchKeySet("PythonDispatcher")
    for name in [*names(keys), "Undefined"]:
        read.add(name)
        if kinds[name] != "fallthrough":
            break
    return read


def cell_kinds(table: Any) -> dict[str, str]:
    """Return the kind of each cell of a table."""
    return {k: cell.kind for k, cell in zip(SPACE.keys, table.cells, strict=True)}


def still_right(direct: Cells, changed: set[str], modes: set[bool]) -> set[Any]:
    """Return what there are right handlers for when some cells have changed."""
    return {
        (python, key)
        for (python, key), cells in direct.items()
        if python not in modes or not cells & changed
    }


def changed_cells(*extra: str) -> set[str]:
    """Return the keys whose cell is another one with kernels at ``extra``."""
    before = resolve_table(SPACE, THERE, BUILT_IN)
    after = resolve_table(SPACE, (*THERE, *extra), BUILT_IN)
    cells = zip(SPACE.keys, before, after, strict=True)
    return {key for key, old, new in cells if old[:2] != new[:2]}


def reads(key: str) -> set[str]:
    """Return the keys whose cell is served by a kernel at ``key``."""
    there = {*THERE, key}
    table = resolve_table(SPACE, there, BUILT_IN)
    return {cell for cell, got in zip(SPACE.keys, table, strict=True) if got[1] == key}


def expected_changes(key: str) -> set[str]:
    """Return the cells that a registration on top of ``THERE`` changes."""
    return reads(key) if key in THERE else changed_cells(key)


@every_key
@pytest.mark.parametrize("python", [False, True])
def test_exactly_what_reads_the_key_is_emptied(
    library: Library, key: str, python: bool
) -> None:
    """Slots and handlers of other keys, and of other operators, stay as they are."""
    op, other = library.ops.f.default, library.ops.g.default
    fill(other)
    untouched = kept(other)
    changed = expected_changes(key)
    assert changed <= {*cells_reading(SPACE, key)}
    register = library.py_impl if python else library.impl
    modes = {True} if python else {True, False}
    fill(op)
    before = kept(op)
    undo = register(op, answer("new"), key, override=True)
    for _ in range(2):
        assert kept(op)[0] == before[0] - changed
        assert set(kept(op)[1]) == still_right(before[1], changed, modes)
        assert kept(other) == untouched
        fill(op)
        before = kept(op)
        undo()
        # The second round: taking it away again empties the same.


@pytest.mark.parametrize("key", SPACE.keys)
def test_fallback_empties_its_own_key_of_every_operator(
    library: Library, key: str
) -> None:
    """Of all operators, and only where no kernel comes before it."""
    ops = library.ops.f.default, library.ops.g.default
    for op in ops:
        fill(op)
    slots, handlers = kept(ops[0])
    served = cell_kinds(ops[0].dispatch_table)[key] in ("kernel", "ambiguous")
    stale: set[str] = set() if served else {key}
    with library.fallback(answer("fallback"), key):
        for op in ops:
            assert kept(op)[0] == slots - stale
            assert set(kept(op)[1]) == still_right(handlers, stale, {True, False})
            assert getattr(op, key) is loaded(op)[key]


def steps(call: Callable[[], Any]) -> int:
    """Return how many functions of the runtime a call enters."""
    count = 0

    def step(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        inside = frame.f_globals.get("__package__") == "keyslot.runtime"
        count += inside and event == "call"

    sys.setprofile(step)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


def test_calls_of_other_types_and_states_stay_cached(library: Library) -> None:
    """A call's handler goes only if the key that it led to has changed."""
    op = library.ops.f.default
    guard = include_keys("Batched")

    def batched() -> Any:
        with guard:
            return op(X)

    def call() -> Any:
        return op(X)

    assert (call(), batched()) == ("Autograd", "Batched")
    cached = steps(call), steps(batched)
    with library.impl(op, answer("Dask"), "Dask"):
        assert (steps(call), steps(batched)) == cached
    with library.impl(op, answer("new"), "Batched", override=True):
        assert steps(call) == cached[0]
        assert steps(batched) > cached[1]
        assert (steps(call), steps(batched)) == cached
        assert (call(), batched()) == ("Autograd", "new")


def test_failed_registration_empties_nothing(library: Library) -> None:
    """A refused kernel leaves slots, handlers and the table itself alone."""
    op = library.ops.f.default
    fill(op)
    before, table, python = kept(op), op.dispatch_table, op.python_table
    attempts: list[Callable[[], Any]] = [
        lambda: library.impl(op, answer(1), "NumPy"),
        lambda: library.impl(op, answer(1), "Numpy"),
        lambda: library.impl(op, "no kernel", "Dask"),
        lambda: library.impl("h", answer(1), "Dask"),
        lambda: library.impl(op, list[int], "Dask"),
        lambda: library.py_impl(op, 3, "Dask", with_keyset=True),
        lambda: library.fallback(answer(1), "Autograd"),
        lambda: op.impl("NumPy")(answer(1)),
        lambda: op.py_impl("nope"),
    ]
    for attempt in attempts:
        with pytest.raises((LookupError, TypeError, ValueError)):
            attempt()
        assert kept(op) == before
        assert op.dispatch_table is table
        assert op.python_table is python


def test_table_does_not_depend_on_the_order_of_registrations() -> None:
    """Any order of registering and undoing ends in the same table."""
    keys = ["SparseDask", "CompositeImplicitAutograd", "Autograd", "NumPy"]
    tables: set[Any] = set()
    for order in permutations(keys):
        for gone in keys[:2]:
            with fresh_library() as made:
                op = made.define("f(Tensor x) -> Tensor").op
                op.dispatch_table  # noqa: B018 # made before, so that it is updated
                undo = {key: made.impl(op, answer(key), key) for key in order}
                undo[gone]()
                tables.add((gone, op.dispatch_table.cells, op.dispatch_table.mask))
    assert len(tables) == 2


def test_ambiguity_comes_and_goes_with_the_kernels(library: Library) -> None:
    """AutogradOther's cell is never stale, whichever of its sources changes last."""
    op = library.define("h(Tensor x) -> Tensor").op
    keys = DispatchKeySet("AutogradOther")
    library.impl(op, answer("composite"), "CompositeImplicitAutograd")
    for _ in range(2):
        assert op.redispatch(keys, X) == "composite"
        with library.impl(op, answer("sparse"), "SparseDask"):
            with pytest.raises(RuntimeError, match="ambiguous"):
                op.redispatch(keys, X)
            with library.impl(op, answer("own"), "AutogradOther"):
                assert op.redispatch(keys, X) == "own"


@pytest.mark.parametrize("python", [False, True])
def test_overrides_are_undone_in_any_order(library: Library, python: bool) -> None:
    """The newest live registration of a key is in force."""
    register = library.py_impl if python else library.impl
    guard = enable_python_dispatcher() if python else include_keys()
    op = library.ops.f.default
    with guard:
        for order in permutations(range(3)):
            undo = [
                register(op, answer(n), "Autograd", override=True) for n in range(3)
            ]
            live = [*range(3)]
            for gone in order:
                assert op(X) == live[-1]
                undo[gone]()
                undo[gone]()
                live.remove(gone)
            assert op(X) == "Autograd"


def test_undo_can_be_a_block_and_says_what_it_is(library: Library) -> None:
    """A registration is a context manager, knows whether it is live, and its op."""
    op = library.ops.f.default
    undo = library.impl(op, answer("new"), "Autograd", override=True)
    assert (undo.is_live, undo.op) == (True, op)
    assert repr(undo) == f"<live registration: {op.name} at Autograd>"
    with undo as entered:
        assert entered is undo
        assert op(X) == "new"
    assert not undo.is_live
    assert repr(undo) == f"<undone registration: {op.name} at Autograd>"
    assert op(X) == "Autograd"


def registrations() -> int:
    """Return how many registrations anybody still holds."""
    gc.collect()
    return sum(type(held) is Registration for held in gc.get_objects())


def test_undone_registrations_do_not_pile_up(library: Library) -> None:
    """A Library that registers and undoes all day long does not grow."""
    op = library.ops.f.default
    before = registrations()
    for _ in range(100):
        library.impl(op, answer(1), "Dask")()
    assert registrations() == before


def test_generated_operator_returns_to_its_declared_table() -> None:
    """After the undo it has the very cells that the generator computed."""
    op = GENERATED.neg.default
    declared = op.declared_table
    before = op.dispatch_table.cells
    with (
        Library("keyslot", "IMPL") as library,
        library.impl(op, answer("mine"), "NumPy", override=True),
    ):
        assert ops.neg(X) == "mine"
    assert op.dispatch_table.cells == before == declared.cells
    assert ops.neg(X).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("args", [(X, X), (Tensor(X), X), ([X, Tensor(X)],)])
def test_kernel_in_the_place_of_one_that_records(args: tuple[Any, ...]) -> None:
    """Calls that had nothing to record come to it at once, and no more when it goes."""
    op = GENERATED.cat.default if len(args) == 1 else GENERATED.mul.Tensor
    before = np.asarray(op(*args)).tolist()
    with Library("keyslot", "IMPL") as library:
        for _ in range(2):
            with library.impl(op, answer("mine"), "AutogradNumPy"):
                assert op(*args) == "mine"
            assert np.asarray(op(*args)).tolist() == before
    assert np.asarray(op(*args)).tolist() == before


def test_key_sets_follow_the_kernels_that_record() -> None:
    """A kernel that stays the highest gets the keys that plain arrays bring by now."""
    op = GENERATED.mul.Tensor
    got: list[bool] = []

    @with_keyset
    def kernel(keyset: Any, x: Any, y: Any) -> Any:
        got.append("AutogradNumPy" in keyset)
        return x

    with (
        Library("keyslot", "IMPL") as shipped,
        shipped.impl(op, kernel, "PythonTLSSnapshot"),
        include_keys("PythonTLSSnapshot"),
    ):
        op(Tensor(X), X)
        with shipped.impl(op, answer("mine"), "AutogradNumPy"):
            op(Tensor(X), X)
        op(Tensor(X), X)
    assert got == [False, True, False]
