"""The registrations of one operator and the tables they give.

The ordinary table holds what `Library.impl` and the YAML register. The Python table
adds the kernels of `py_impl`, each in front of the ordinary one at its key; only the
Python dispatcher reads it. Both are values: a registration replaces them, and empties
exactly the slots and cache entries that led through a cell that changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from .dispatch_errors import DuplicateKernelError, OperatorRemovedError
from .kernel import Kernel, Site, fallthrough
from .registrations import Stacks, active, take_out
from .table import Change, DispatchTable, build_table

if TYPE_CHECKING:
    from .op import OpOverload


@final
class OpTables:
    """What is registered for one operator, and the tables made from it."""

    __slots__ = ("_op", "_stacks", "_python_stacks", "_table", "_python_table", "_gone")

    def __init__(self, op: OpOverload) -> None:
        self._op: Final = op
        self._python_stacks: Final[Stacks] = {}
        self._stacks: Stacks | None = None
        self._table: DispatchTable | None = None
        self._python_table: DispatchTable | None = None
        self._gone: str | None = None

    @property
    def ordinary(self) -> DispatchTable:
        """The table of ordinary dispatch.

        Raises OperatorRemovedError once the operator's Library is closed.
        """
        table = self._table
        if table is None:
            if self._gone is not None:
                raise OperatorRemovedError(self._op.name, self._gone)
            with self._op.dispatcher.lock:
                self._build()
                table = self._table
            assert table is not None  # _build made it, and nothing unmakes it
        return table

    @property
    def python(self) -> DispatchTable:
        """The table of the Python dispatcher."""
        table = self.ordinary
        return self._python_table or table

    @property
    def python_kernels(self) -> dict[str, Kernel]:
        """The Python kernel in force at each key that has one."""
        return active(self._python_stacks)

    def add(self, kernel: Kernel, python: bool, override: bool) -> None:
        """Put a kernel on top of its key's stack.

        Raises DuplicateKernelError where there is one already and ``override`` is
        false; then nothing has changed.
        """
        with self._op.dispatcher.lock:
            stacks = self._python_stacks if python else self._ordinary_stacks()
            stack = stacks.get(kernel.key, [])
            if stack and not override:
                first, second = str(stack[-1].site), str(kernel.site)
                raise DuplicateKernelError(self._op.name, kernel.key, first, second)
            stacks.setdefault(kernel.key, []).append(kernel)
            self.update()

    def remove(self, kernel: Kernel, python: bool) -> None:
        """Take a kernel out of its stack; what was below it is in force again."""
        with self._op.dispatcher.lock:
            stacks = self._python_stacks if python else self._ordinary_stacks()
            take_out(stacks, kernel)
            self.update()

    def update(self) -> None:
        """Make the tables anew after a change; the lock must be held.

        An operator that was never used has no tables yet and needs none.
        """
        op = self._op
        op.dispatcher.changed()
        if self._table is None:
            return
        before, python_before = self.ordinary, self.python
        self._build()
        change = Change(before, self.ordinary, python_before, self.python)
        _keep_handlers(before, self.ordinary)
        for index in python_before.difference(self.python):
            op.empty_slot(op.dispatcher.space.keys[index])
        for cache in op.caches:
            cache.invalidate(op, change)

    def close(self, library: str) -> None:
        """End the tables: the Library that defined the operator is closed."""
        self._gone = library
        self._table = self._python_table = None

    def _build(self) -> None:
        op = self._op
        fallbacks = op.dispatcher.active_fallbacks()
        kernels = active(self._ordinary_stacks())
        declared = op.declared_table
        if declared is None or self._is_changed():
            self._table = build_table(op.dispatcher.space, kernels, fallbacks)
        else:
            cells, mask = declared.cells, declared.mask
            self._table = DispatchTable(cells, mask, kernels, fallbacks)
        self._python_table = None
        if self._python_stacks:
            together = kernels | active(self._python_stacks)
            self._python_table = build_table(op.dispatcher.space, together, fallbacks)

    def _is_changed(self) -> bool:
        """Whether the registrations are others than those of the declaration."""
        if self._op.dispatcher.fallbacks_changed:
            return True
        stacks = self._ordinary_stacks()
        declared = self._op.kernels
        return stacks.keys() != declared.keys() or any(
            len(stack) != 1 or stack[0].site.line for stack in stacks.values()
        )

    def _ordinary_stacks(self) -> Stacks:
        if self._stacks is None:
            self._stacks = {
                key: [_declared_kernel(self._op, key, reference)]
                for key, reference in self._op.kernels.items()
            }
        return self._stacks


def _declared_kernel(op: OpOverload, key: str, reference: str) -> Kernel:
    function: Any = fallthrough if reference == "fallthrough" else None
    site = Site(op.origin, 0, op.name)
    mixed = key in op.mixed_backends
    return Kernel(function, key, site, reference=reference, mixed=mixed)


def _keep_handlers(before: DispatchTable, after: DispatchTable) -> None:
    changed = after.difference(before)
    for index, handler in enumerate(before.handlers):
        if index not in changed:
            after.handlers[index] = handler
