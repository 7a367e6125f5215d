"""Where the tables that PyTorch's calls read lag behind what is registered.

PyTorch stores a table for each operator and, after a registration, brings some cells of
it up to date: those that the key itself or its alias serves, and the autograd key of
the backend. A CompositeImplicitAutograd kernel gives way in more cells than these.
keyslot follows the table that PyTorch prints, computed afresh from what is registered:
there the order of registrations does not count.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import torch
from torch import _C

from keyslot.kernels.torch.registered import (
    computed_table,
    keys_by_name,
    keyset_of,
    registered_fallbacks,
)
from keyslot.runtime.resolver import IMPLICIT
from keyslot.runtime.space import KeySpace

from ..key_spaces import torch_space
from .throwaway import operator, overload, registered
from .torch_tables import differences, stand_ins, table_of

X = torch.ones(2)
#: Backends with an autograd key, for whose kernels PyTorch updates AutogradOther.
WITHOUT_AUTOGRAD = ("HIP", "VE")


class Operator:
    """An operator of PyTorch's whose kernels say where they were reached."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ran: list[tuple[str, Any]] = []
        self._libraries: dict[str, Any] = {}

    def register(self, key: str) -> None:
        """Register a kernel."""

        def kernel(keys: Any, x: Any) -> Any:
            self._ran.append((key, keys.highestPriorityTypeId()))
            return x

        self._libraries[key] = registered(
            self.name, key, kernel, f"kernel at {key}", with_keyset=True
        )

    def remove(self, key: str) -> None:
        """Take a kernel away."""
        self._libraries.pop(key)._destroy()

    def close(self) -> None:
        """Take all kernels away."""
        for key in [*self._libraries]:
            self.remove(key)

    def printed(self, key: str) -> str | None:
        """Return which kernel the printed table has at a key, if any."""
        cell = computed_table(self.name).get(key)
        site = cell.site if cell else ""
        kernel = site.removeprefix("registered at kernel at ").removesuffix(":1")
        return kernel if kernel in self._libraries else None

    def called(self, key: str) -> str | None:
        """Return which kernel a call at a key runs, if any.

        One that is only reached from a fallback there sees other keys.
        """
        self._ran.clear()
        # NotImplementedError for an empty cell, as it is one of RuntimeError.
        with suppress(RuntimeError):
            overload(self.name).redispatch(keyset_of((key,)), X)
        reached = {member: kernel for kernel, member in self._ran[:1]}
        return reached.get(keys_by_name()[key])

    def stale(self, keys: set[str]) -> set[str]:
        """Return at which of some keys a call does not run what is printed."""
        return {key for key in keys if self.called(key) != self.printed(key)}


@contextmanager
def new_operator(*keys: str) -> Generator[Operator]:
    """Yield an operator with kernels, registered in this order."""
    with operator() as name:
        made = Operator(name)
        try:
            for key in keys:
                made.register(key)
            yield made
        finally:
            made.close()


def expected_stale(space: KeySpace, key: str) -> set[str]:
    """Return the cells that PyTorch forgets when a kernel at a key comes or goes."""
    nested = {k for k in space.keys if space.functionality_of[k] == "NestedTensor"}
    if key == "CompositeExplicitAutograd":
        return {*space.expand("Autograd"), *nested}
    if key in nested:
        return {"AutogradNestedTensor"}
    backend = space.backend_of.get(key)
    if key in space.behind_autograd_other and backend not in (None, *WITHOUT_AUTOGRAD):
        return {"AutogradOther"}
    return set()


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Return the keys whose cell is another one."""
    keys = before.keys() | after.keys()
    return {key for key in keys if before.get(key) != after.get(key)} - {"Undefined"}


def keeps_invariants(name: str) -> bool:
    """Whether PyTorch's stored table is the computed one, as far as it can tell.

    It does not tell kernels in Python apart from each other.
    """
    try:
        _C._dispatch_check_invariants(name)
    except RuntimeError:
        return False
    return True


def test_all_cells_that_go_stale(space: KeySpace) -> None:
    """Nothing but what is listed: beside a CompositeImplicitAutograd kernel, tried all.

    A registration changes a cell by serving it, and PyTorch updates those, or by making
    that kernel give way or ambiguous; so nothing else has to be there. Fallbacks that
    crash the process when they are called for no reason are not called.
    """
    harmless = {*space.expand("Autograd"), "Meta"}
    not_called = registered_fallbacks().keys() - harmless
    for key in (*space.keys[1:], *space.aliases):
        if key == IMPLICIT:
            continue
        expected = expected_stale(space, key)
        with new_operator(IMPLICIT) as op:
            before = computed_table(op.name)
            op.register(key)
            cells = changed(before, computed_table(op.name)) - not_called
            assert op.stale(cells) == expected
            assert keeps_invariants(op.name) == (not expected)
        with new_operator(key, IMPLICIT) as op:
            assert op.stale(cells) == set()
            assert keeps_invariants(op.name)
            op.remove(key)
            assert op.stale(cells) == expected
            assert keeps_invariants(op.name) == (not expected)


KINDS = [
    ("SparseCPU", "AutogradOther"),
    ("QuantizedMeta", "AutogradOther"),
    ("NestedTensorCPU", "AutogradNestedTensor"),
    ("CompositeExplicitAutograd", "AutogradCPU"),
    ("CompositeExplicitAutograd", "AutogradOther"),
    ("CompositeExplicitAutograd", "NestedTensorCPU"),
]


@pytest.mark.parametrize(("key", "cell"), KINDS)
def test_keyslot_follows_the_printed_table(key: str, cell: str) -> None:
    """In PyTorch it depends on the order whether a call runs the composite kernel.

    keyslot has the cell that PyTorch prints, whatever the order.
    """
    with new_operator(IMPLICIT, key) as late, new_operator(key, IMPLICIT) as early:
        assert (late.called(cell), early.called(cell)) == (IMPLICIT, None)
        for op in (late, early):
            assert op.printed(cell) is None
        assert not keeps_invariants(late.name)
        assert keeps_invariants(early.name)
    for order in ((IMPLICIT, key), (key, IMPLICIT)):
        assert own_source(order, cell) is None


def own_source(order: tuple[str, ...], cell: str) -> str | None:
    """Return from where keyslot's table gets a cell after these registrations."""
    dispatcher, library_class, _ = torch_space()
    with library_class("stale") as library:
        op = library.define("f(Tensor x) -> Tensor").op
        for key in order:
            library.impl(op, print, key)
        place = dispatcher.space.keys.index(cell)
        source: str | None = op.dispatch_table.cells[place].source
    return source


def test_what_is_asked_for_one_cell() -> None:
    """PyTorch answers from both tables when it is asked for the kernel of a cell.

    Whether there is one says the stored table, which one the computed table. Neither
    is used by keyslot.
    """
    cell, explicit = "NestedTensorCPU", "CompositeExplicitAutograd"
    member = keys_by_name()[cell]
    is_stored = _C._dispatch_has_computed_kernel_for_dispatch_key
    kernel_of = _C._dispatch_get_computed_kernel_for_dispatch_key
    with new_operator(IMPLICIT, explicit) as op:
        assert op.printed(cell) is None
        assert is_stored(op.name, cell)
        assert repr(kernel_of(op.name, member)) == "SafeKernelFunction(debug='')"
    with new_operator(explicit, IMPLICIT) as op:
        op.remove(explicit)
        assert op.printed(cell) == IMPLICIT
        assert not is_stored(op.name, cell)
        with pytest.raises(RuntimeError) as caught:
            kernel_of(op.name, member)
        assert str(caught.value) == f"no kernel for {cell} for {op.name}"


def test_stale_or_not_keyslot_reads_the_same(space: KeySpace) -> None:
    """What keyslot reads from PyTorch is what is registered, never a stored cell."""
    fallbacks = stand_ins(registered_fallbacks())
    for key, _ in KINDS:
        with new_operator(IMPLICIT, key) as op:
            table = table_of(space, op.name, fallbacks)
            assert differences(space, table, op.name) == {}
