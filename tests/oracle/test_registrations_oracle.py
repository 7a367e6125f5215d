"""Registrations come and go in any order: after each step all tables are PyTorch's.

Two operators live in PyTorch and, with the same kernels, in a dispatcher of keyslot's
that has PyTorch's key space. After each step every cell and the mask of both is that
of PyTorch's printed table; and so is what the resolver makes of PyTorch's own list of
registrations. Kernels are told apart by where they were registered.

What is left out, since PyTorch does not survive it or means something else by it, is in
test_odd_registrations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from torch import _C
from torch.library import Library, fallthrough_kernel

from keyslot import fallthrough
from keyslot.kernels.torch.registered import (
    computed_table,
    keys_by_name,
    registered_fallbacks,
    registered_kernels,
)

from ..key_spaces import load_torch_space, torch_space
from .throwaway import NAMESPACE, defined, registered
from .torch_tables import differences, placed, stand_ins, table_of

SPACE = load_torch_space()
#: Keys where rules meet come up more often than the many that only serve themselves.
CROWDED = (
    "CPU",
    "SparseCPU",
    "NestedTensorCPU",
    "AutogradOther",
    "AutogradCPU",
    "Meta",
)
COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")
runtime_keys = st.sampled_from(CROWDED) | st.sampled_from(SPACE.keys[1:])
keys = st.sampled_from(COMPOSITE) | st.sampled_from([*SPACE.aliases]) | runtime_keys
#: Not the one whose fallback PyTorch replaces, and cannot bring back.
fallback_keys = runtime_keys.filter(lambda key: key != "AutogradPrivateUse1")
operators = st.sampled_from(["f", "g"])
#: The keys whose stored cell PyTorch does not always update: test_stale_tables.py.
MAY_BE_STALE = {
    *SPACE.expand("Autograd"),
    *(key for key in SPACE.keys if SPACE.functionality_of[key] == "NestedTensor"),
}
ASKED = [key for key in SPACE.keys if _C._parse_dispatch_key(key) is not None]


class Live(NamedTuple):
    """A registration in PyTorch, and how it is undone in keyslot."""

    library: Any
    undo: Callable[[], None]

    def remove(self) -> None:
        """Take it away in both."""
        self.library._destroy()
        self.undo()


class Registrations(RuleBasedStateMachine):
    """Kernels and fallbacks that come and go, in PyTorch and in keyslot."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.kernels: list[Live] = []
        self.fallbacks: dict[str, Live] = {}
        dispatcher, library_class, _ = torch_space()
        self.dispatcher = dispatcher
        self.library = library_class(NAMESPACE)
        self.ops: dict[str, Any] = {}
        self.definitions: list[Any] = []

    @initialize()
    def start(self) -> None:
        """Define the operators, and have the fallbacks that PyTorch starts with."""
        for name in ("f", "g"):
            self.definitions.append(defined(f"{NAMESPACE}::{name}"))
            self.ops[name] = self.library.define(f"{name}(Tensor x) -> Tensor").op
        self.built_in = registered_fallbacks()
        for key, found in self.built_in.items():
            function = fallthrough if found.is_fallthrough else print
            placed_at(found.site, self.library.fallback, function, key)

    @rule(name=operators, key=keys, passes_over=st.booleans())
    def register(self, name: str, key: str, passes_over: bool) -> None:
        """Register a kernel, or a fallthrough, on top of any that is there."""
        file = self.new_file()
        theirs, ours = functions(passes_over)
        library = registered(f"{NAMESPACE}::{name}", key, theirs, file)
        own = self.library.impl
        undo = placed_at(printed_place(file), own, self.ops[name], ours, key)
        self.kernels.append(Live(library, undo))

    @precondition(lambda self: self.kernels)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        """Take any kernel away, not only the latest, nor only one in force."""
        index = data.draw(st.integers(0, len(self.kernels) - 1))
        self.kernels.pop(index).remove()

    @rule(key=fallback_keys, passes_over=st.booleans())
    def add_fallback(self, key: str, passes_over: bool) -> None:
        """Register a fallback; where there is one, PyTorch refuses a second."""
        file = self.new_file()
        theirs, ours = functions(passes_over)
        library = placed(file, Library, "_", "IMPL")
        if key in self.built_in or key in self.fallbacks:
            with pytest.raises(RuntimeError) as caught:
                library.m.fallback(keys_by_name()[key], theirs, False)
            assert "multiple backend fallbacks for the same" in str(caught.value)
            library._destroy()
            return
        library.m.fallback(keys_by_name()[key], theirs, False)
        undo = placed_at(printed_place(file), self.library.fallback, ours, key)
        self.fallbacks[key] = Live(library, undo)

    @precondition(lambda self: self.fallbacks)
    @rule(data=st.data())
    def remove_fallback(self, data: st.DataObject) -> None:
        """Take any of our fallbacks away."""
        key = data.draw(st.sampled_from(sorted(self.fallbacks)))
        self.fallbacks.pop(key).remove()

    @invariant()
    def holds(self) -> None:
        """All cells and masks are PyTorch's, by either way to the same table."""
        if not self.ops:
            return
        fallbacks = stand_ins(registered_fallbacks())
        for name, op in self.ops.items():
            full = f"{NAMESPACE}::{name}"
            assert differences(SPACE, op.dispatch_table, full) == {}
            assert differences(SPACE, table_of(SPACE, full, fallbacks), full) == {}
            assert op.dispatch_table.kernels.keys() == registered_kernels(full).keys()
            assert {*unlike_stored(full)} <= MAY_BE_STALE

    def teardown(self) -> None:
        """Leave PyTorch as it was."""
        for live in (*self.kernels, *self.fallbacks.values()):
            live.library._destroy()
        for definition in self.definitions:
            definition._destroy()
        self.library.close()

    def new_file(self) -> str:
        """Return the name of a file in which nothing has been registered."""
        self.count += 1
        return f"file {self.count}"


def functions(passes_over: bool) -> tuple[Any, Any]:
    """Return what to register in PyTorch and in keyslot. Nothing is ever called."""
    return (fallthrough_kernel, fallthrough) if passes_over else (print, print)


def printed_place(file: str) -> str:
    """Return how PyTorch prints the place of a kernel."""
    return f"registered at {file}:1"


def placed_at(
    place: str, register: Callable[..., Callable[[], None]], *args: Any
) -> Callable[[], None]:
    """Register in keyslot, as though from a file that is called as PyTorch prints it.

    Returns the undo.
    """
    undo: Callable[[], None] = placed(place, register, *args, override=True)
    return undo


def unlike_stored(name: str) -> Iterator[str]:
    """Yield the keys that have a kernel in only one of PyTorch's two tables."""
    cells = computed_table(name)
    for key in ASKED:
        stored = _C._dispatch_has_computed_kernel_for_dispatch_key(name, key)
        if stored != (key in cells):
            yield key


test_tables_are_those_of_pytorch: Any = pytest.mark.filterwarnings(
    "ignore:Warning only once for all operators"
)(
    getattr(Registrations, "TestCase")  # noqa: B009 # Any
)
test_tables_are_those_of_pytorch.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None
)
