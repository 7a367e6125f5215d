"""The registrations of one operator and the tables they give.

The ordinary table holds what `Library.impl` and the YAML register. The Python table
adds the kernels of `py_impl`, each in front of the ordinary one at its key; only the
Python dispatcher reads it. Both are values: a registration replaces them, and empties
exactly the slots and cache entries that led through a cell that changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

from .derived import DERIVED, DerivedKernel
from .errors import DuplicateKernelError, OperatorRemovedError
from .kernel import Kernel, Site, fallthrough
from .registrations import Stacks, active, need_stack, put_on, take_out
from .table import Change, DispatchTable, build_table

if TYPE_CHECKING:
    from .op import OpOverload


#: The alias key of kernels that record gradients.
AUTOGRAD: Final = "Autograd"

#: The ordinary table of an operator and its Python table.
Tables = tuple[DispatchTable, DispatchTable]


@final
class OpTables:
    """What is registered for one operator, and the tables made from it."""

    __slots__ = ("_op", "_stacks", "_python_stacks", "_tables", "_gone")

    def __init__(self, op: OpOverload) -> None:
        self._op: Final = op
        self._python_stacks: Stacks = {}
        self._stacks: Stacks | None = None
        # Replaced together, or a reader could see a change in one of them alone.
        self._tables: Tables | None = None
        self._gone: str | None = None

    @property
    def ordinary(self) -> DispatchTable:
        """The table of ordinary dispatch.

        Raises OperatorRemovedError once the operator's Library is closed.
        """
        return (self._tables or self._first())[0]

    @property
    def python(self) -> DispatchTable:
        """The table of the Python dispatcher."""
        return (self._tables or self._first())[1]

    @property
    def python_kernels(self) -> dict[str, Kernel]:
        """The Python kernel in force at each key that has one."""
        return active(self._python_stacks)

    def add(self, kernel: Kernel, python: bool, override: bool) -> None:
        """Put a kernel on top of its key's stack.

        Raises DuplicateKernelError where there is one already and ``override`` is
        false, OperatorRemovedError; then nothing has changed.
        """
        with self._op.dispatcher.lock:
            self._check_alive()
            stack = self._registered(python).get(kernel.key, ())
            if stack and not override:
                first, second = str(stack[-1].site), str(kernel.site)
                raise DuplicateKernelError(self._op.name, kernel.key, first, second)
            self._replace(python, lambda stacks: put_on(stacks, kernel))

    def remove(self, kernel: Kernel, python: bool) -> None:
        """Take a kernel out of its stack; what was below it is in force again."""
        with self._op.dispatcher.lock:
            self._replace(python, lambda stacks: take_out(stacks, kernel))

    def update(self) -> None:
        """Make the tables anew after a change; the lock must be held.

        An operator that was never used has no tables yet and needs none.
        """
        op = self._op
        before = self._tables
        if before is not None:
            after = self._made()
            # Otherwise a finalizer has registered something on this very thread, and
            # with its own change made up for this one.
            if self._tables is before:
                self._tables = after
                self._drop_stale(Change(before[0], after[0], before[1], after[1]))
        op.dispatcher.changed()

    def forget(self) -> None:
        """Make the tables anew when they are next asked for; the lock must be held.

        For operators whose kernels somebody else holds, and has changed.
        """
        self._stacks = None
        self._tables = None

    def close(self, library: str) -> None:
        """End the tables: the Library that defined the operator is closed."""
        self._gone = library
        self._tables = None

    def _first(self) -> Tables:
        with self._op.dispatcher.lock:
            self._check_alive()
            if self._tables is None:
                self._tables = self._made()
            return self._tables

    def _check_alive(self) -> None:
        if self._gone is not None:
            raise OperatorRemovedError(self._op.name, self._gone)

    def _replace(self, python: bool, edit: Callable[[Stacks], Stacks]) -> None:
        need_stack()
        while True:
            before = self._registered(python)
            after = edit(before)
            # A finalizer may have registered something on this very thread.
            if self._registered(python) is before:
                break
        if python:
            self._python_stacks = after
        else:
            self._stacks = after
        self.update()

    def _drop_stale(self, change: Change) -> None:
        op = self._op
        _keep_handlers(change.before, change.after)
        for index in change.python_before.difference(change.python_after):
            op.empty_slot(op.dispatcher.space.keys[index])
        # A copy: other threads make caches without the lock.
        for cache in tuple(op.caches):
            cache.invalidate(op, change)

    def _made(self) -> Tables:
        """Make the tables of what is registered now."""
        dispatcher = self._op.dispatcher
        while True:
            version = dispatcher.version
            tables = self._make()
            # The same again: finalizers.
            if dispatcher.version == version:
                return tables

    def _make(self) -> Tables:
        op, python = self._op, self._python_stacks
        kernels = active(self._registered(False))
        fallbacks = op.dispatcher.active_fallbacks()
        declared = op.declared_table
        if declared is None or self._is_changed():
            ordinary = build_table(op.dispatcher.space, kernels, fallbacks)
        else:
            cells, mask = declared.cells, declared.mask
            ordinary = DispatchTable(cells, mask, kernels, fallbacks)
        underlying = op.underlying_python_kernels()
        if not python and not underlying:
            return ordinary, ordinary
        together = {**kernels, **underlying, **active(python)}
        return ordinary, build_table(op.dispatcher.space, together, fallbacks)

    def _is_changed(self) -> bool:
        """Whether the registrations are others than those of the declaration."""
        if self._op.dispatcher.has_own_fallbacks:
            return True
        stacks = self._registered(False)
        declared = self._op.kernels
        return stacks.keys() != declared.keys() or any(
            len(stack) != 1 or stack[0].site.line for stack in stacks.values()
        )

    def _registered(self, python: bool) -> Stacks:
        if python:
            return self._python_stacks
        if self._stacks is None:
            stacks = {k: (held,) for k, held in self._op.ordinary_kernels().items()}
            if self._stacks is None:  # still
                self._stacks = stacks
        return self._stacks


def declared_kernels(op: OpOverload) -> dict[str, Kernel]:
    """Return the kernels that an operator was declared with, by key."""
    return {
        key: _declared_kernel(op, key, reference)
        for key, reference in op.kernels.items()
    }


def _declared_kernel(op: OpOverload, key: str, reference: str) -> Kernel:
    function: Any = None
    made_for: OpOverload | None = None
    rule = op.dispatcher.space.rules.get(reference)
    if reference == "fallthrough":
        function = fallthrough
    elif reference == DERIVED:
        function = DerivedKernel(op)
    elif rule is not None and rule.key == key:
        reference, made_for = rule.maker, op
    site = Site(op.origin, 0, op.name)
    mixed = key in op.mixed_backends
    return Kernel(
        function,
        key,
        site,
        reference=reference,
        mixed=mixed,
        made_for=made_for,
        records=made_for is not None and key == AUTOGRAD,
    )


def _keep_handlers(before: DispatchTable, after: DispatchTable) -> None:
    changed = after.difference(before)
    for index, handler in enumerate(before.handlers):
        if index not in changed:
            after.handlers[index] = handler
