"""A model of tables: whatever was registered and undone, only what is left counts.

After every step each cell of every operator equals what the pure resolver says of the
registrations that are left, and calls, slots and cached handlers agree with the cells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from keyslot import (
    DispatchKeySet,
    Library,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    fallthrough,
    include_keys,
    ops,
    snapshot,
    with_keyset,
)
from keyslot.generated.keys import SPACE
from keyslot.runtime import resolve_table

from .dispatching import answer, array, fresh_namespace

X = array()
GENERATED: Any = ops
#: Kernels are told apart by their results, fallthroughs by negative numbers.
Label = int
#: What the YAML declares.
DECLARED: Label = 0
#: What is built into the key space: fallthroughs, and fallbacks that go on with the
#: keys below their own where there is no mode and no transform.
PASSED_OVER: Label = -1
GOES_ON: Label = 1
BUILT_IN = (PASSED_OVER, GOES_ON)
KINDS = ("function", "fallthrough", "with_keyset")
#: Keys where rules meet come up more often than the many that only serve themselves.
CROWDED = (
    *("NumPy", "AutogradNumPy", "SparseDask", "AutogradOther", "Undefined"),
    *("Batched", "Functionalize"),
)
keys = st.one_of(st.sampled_from(CROWDED), st.sampled_from(SPACE.keys))
aliases_too = st.one_of(keys, st.sampled_from([*SPACE.aliases]))

#: Kernels by key, the newest last.
Stacks = dict[str, list[Label]]


FULL = (1 << len(SPACE.keys) - 1) - 1


class Cell(NamedTuple):
    """What the model says of one cell."""

    kind: str
    source: str | None
    label: Label

    @property
    def goes_on(self) -> bool:
        """Whether it calls what is below its key: here no array has keys of its own.

        Nothing records gradients, and nothing is batched.
        """
        is_rule = self.source in ("Autograd", "Batched")
        return self.label == GOES_ON or (self.label == DECLARED and is_rule)

    def matches(self, got: Any) -> bool:
        """Whether the outcome of a call that ends at the cell is what it says."""
        if self.kind in ERRORS:
            return isinstance(got, ERRORS[self.kind])
        if self.label == DECLARED and self.source == "Meta":
            return bool((got.shape, got.dtype) == (X.shape, X.dtype))
        if self.label == DECLARED:
            return bool((got == -X).all())
        return bool(got == self.label)


def passed_over(cells: list[Cell]) -> int:
    """Return the bits of the keys that are fallthroughs."""
    return sum(
        1 << n >> 1 for n, cell in enumerate(cells) if cell.kind == "fallthrough"
    )


class Op:
    """An operator and what the model knows to be registered for it."""

    def __init__(self, op: Any, called: bool) -> None:
        self.op = op
        #: Whether its kernels may be called, and not only looked at.
        self.called = called
        self.ordinary: Stacks = {key: [DECLARED] for key in op.kernels}
        self.python: Stacks = {}

    def together(self, python: bool) -> dict[str, Label]:
        """Return what is in force at each key."""
        found = {key: stack[-1] for key, stack in self.ordinary.items() if stack}
        if python:
            found |= {key: stack[-1] for key, stack in self.python.items() if stack}
        return found


class Tables(RuleBasedStateMachine):
    """Random registrations, overrides and removals, in any order."""

    @initialize()
    def start(self) -> None:
        """Make two operators at run time, and take two that were generated."""
        self.library = Library(fresh_namespace(), "DEF")
        self.shipped = Library("keyslot", "IMPL")
        defined = [
            self.library.define(f"{name}(Tensor x) -> Tensor").op for name in "fg"
        ]
        self.ops = [Op(op, called=True) for op in (*defined, GENERATED.neg.default)]
        self.ops.append(Op(GENERATED.square.default, called=False))
        self.fallbacks: Stacks = {key: [PASSED_OVER] for key in SPACE.fallthrough}
        self.fallbacks |= {key: [GOES_ON] for key in SPACE.fallbacks}
        self.live: list[tuple[Any, list[Label], Label]] = []
        self.count = GOES_ON

    def teardown(self) -> None:
        """Take everything away again."""
        if hasattr(self, "library"):
            self.shipped.close()
            self.library.close()

    def kernel(self, kind: str) -> tuple[Any, Label]:
        """Return a new kernel, and what the model calls it."""
        self.count += 1
        if kind == "fallthrough":
            return fallthrough, -self.count
        function = answer(self.count)
        return with_keyset(function) if kind == "with_keyset" else function, self.count

    @rule(
        which=st.integers(0, 3),
        key=aliases_too,
        kind=st.sampled_from(KINDS),
        python=st.booleans(),
        override=st.booleans(),
    )
    def register(
        self, which: int, key: str, kind: str, python: bool, override: bool
    ) -> None:
        """Register a kernel, which is refused where one is there already."""
        there = self.ops[which]
        stacks = there.python if python else there.ordinary
        library = self.library if which < 2 else self.shipped
        register = library.py_impl if python else library.impl
        kernel, label = self.kernel(kind)
        stack = stacks.setdefault(key, [])
        if stack and not override:
            with pytest.raises(errors.DuplicateKernelError):
                register(there.op, kernel, key)
            return
        undo = register(there.op, kernel, key, override=override)
        stack.append(label)
        self.live.append((undo, stack, label))

    @rule(key=keys, kind=st.sampled_from(KINDS), override=st.booleans())
    def register_fallback(self, key: str, kind: str, override: bool) -> None:
        """Register a fallback; those built in need no ``override``."""
        kernel, label = self.kernel(kind)
        stack = self.fallbacks.setdefault(key, [])
        if stack and not ((len(stack) == 1 and stack[0] in BUILT_IN) or override):
            with pytest.raises(errors.DuplicateKernelError):
                self.library.fallback(kernel, key)
            return
        undo = self.library.fallback(kernel, key, override=override)
        stack.append(label)
        self.live.append((undo, stack, label))

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """Undo any registration that is live, or one a second time."""
        place = data.draw(st.integers(0, len(self.live) - 1))
        undo, stack, label = self.live.pop(place)
        stack.remove(label)
        undo()
        undo()

    @rule(
        which=st.integers(0, 3),
        wrong=st.sampled_from(["key", "kernel", "operator", "annotation"]),
    )
    def fail(self, which: int, wrong: str) -> None:
        """Try what is refused; not even the table objects are others afterwards."""
        op = self.ops[which].op
        before = op.dispatch_table, op.python_table
        library = self.library if which < 2 else self.shipped
        target = "nope" if wrong == "operator" else op
        kernel = {"kernel": 3, "annotation": list[int]}.get(wrong, print)
        with pytest.raises((TypeError, LookupError)):
            library.impl(target, kernel, "Nope" if wrong == "key" else "Dask")
        assert (op.dispatch_table, op.python_table) == before

    @rule(which=st.integers(0, 2), key=keys, python=st.booleans())
    def use(self, which: int, key: str, python: bool) -> None:
        """Call in a way that leaves a handler behind."""
        op = self.ops[which].op
        with enable_python_dispatcher() if python else snapshot().restore():
            outcome(op.redispatch, DispatchKeySet(key), X)
            outcome(op, X)

    @invariant()
    def cells_are_what_the_resolver_says(self) -> None:
        """Both tables of each operator, cell by cell, and the masks."""
        for there in getattr(self, "ops", ()):
            for python in (False, True):
                self.check_table(there, python)

    def expected(self, there: Op, python: bool) -> list[Cell]:
        """Return each cell by the pure resolver, with what is at its source."""
        kernels = there.together(python)
        behind = {key: stack[-1] for key, stack in self.fallbacks.items() if stack}
        cells: list[Cell] = []
        for found in resolve_table(SPACE, kernels.keys(), behind.keys()):
            at = {"kernel": kernels, "fallback": behind}.get(found.kind, {})
            label = at[found.source] if found.source else DECLARED
            kind = "fallthrough" if label < 0 else found.kind
            cells.append(Cell(kind, found.source, label))
        return cells

    def check_table(self, there: Op, python: bool) -> None:
        """Compare a table, and every call at one key, with the model."""
        table = there.op.python_table if python else there.op.dispatch_table
        cells = self.expected(there, python)
        assert [*table.cells] == [(cell.kind, cell.source) for cell in cells]
        assert table.mask == FULL & ~passed_over(cells)
        if there.called:
            with enable_python_dispatcher() if python else snapshot().restore():
                for key in SPACE.keys:
                    self.check_calls(there.op, key, cells, python)
                self.check_full_calls(there.op, cells)

    def check_calls(self, op: Any, key: str, cells: list[Cell], python: bool) -> None:
        """Call at one key, and through the slot that the Python dispatcher reads."""
        cell = cells[SPACE.index(key)]
        if cell.kind in ERRORS and key not in CROWDED:
            # Messages take time to make; the handler of an empty cell knows its kind.
            assert not python or getattr(op, key).kind == cell.kind
            return
        if cell.goes_on:
            bits = op.keys_of((X,), {}).bits & below(SPACE.index(key), cell)
            cell = reached(cells, bits)
        assert cell.matches(outcome(op.at, key, X))
        if python:
            assert cell.matches(outcome(getattr(op, key), X))

    def check_full_calls(self, op: Any, cells: list[Cell]) -> None:
        """Call with an array in several states, which picks the key by the mask."""
        for guard in (
            snapshot().restore(),
            include_keys("Functionalize", "Batched"),
            exclude_keys("Autograd"),
        ):
            with guard:
                keyset = op.keys_of((X,), {}) - DispatchKeySet("PythonDispatcher")
                cell = reached(cells, keyset.bits)
                assert cell.matches(outcome(op, X))
                assert cell.matches(outcome(op.redispatch, keyset, X))


def reached(cells: list[Cell], bits: int) -> Cell:
    """Return the cell where a call with these keys ends."""
    cell = cells[(bits & ~passed_over(cells)).bit_length()]
    while cell.goes_on:
        bits &= below(cells.index(cell), cell)
        cell = cells[(bits & ~passed_over(cells)).bit_length()]
    return cell


def below(place: int, cell: Cell) -> int:
    """Return the bits of the keys that a cell goes on with.

    Below the autograd keys where it is the kernel of all of them.
    """
    if cell.source == "Autograd":
        place = SPACE.index("AutogradOther")
    return (1 << place >> 1) - 1


ERRORS = {
    "missing": errors.KeyslotError,
    "ambiguous": RuntimeError,
    "fallthrough": NotImplementedError,
}


def outcome(call: Any, *args: Any) -> Any:
    """Return the result of a call, or the error of a dispatch that failed."""
    try:
        return call(*args)
    except errors.KeyslotError as error:
        return error


test_tables_follow_the_model: Any = getattr(Tables, "TestCase")  # noqa: B009 # Any
test_tables_follow_the_model.settings = settings(
    max_examples=30, stateful_step_count=25, deadline=None
)
