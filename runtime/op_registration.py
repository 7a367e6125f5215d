"""Registered overloads: the kernels of an overload, and the tables made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from .declared import DeclaredOverload
from .kernel import Kernel, caller_site
from .op_tables import OpTables
from .registrations import Registration, make_kernel
from .space import NamedKey
from .table import DispatchTable, without

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .state import Setting

F = TypeVar("F", bound=Callable[..., Any])
Key = str | NamedKey


class KernelsByClass(Protocol):
    """A class of modes, which has kernels of its own for operators."""

    @classmethod
    def kernel(cls, op: Any, /) -> Callable[[F], F]:
        """Return a decorator that registers what the mode does with an operator."""
        ...


class RegisteredOverload(DeclaredOverload):
    """What is registered for an overload, and the dispatch tables that result."""

    __slots__ = ("tables",)

    #: What to do where there is no kernel, for messages; they fill in the names.
    how_to_register: ClassVar[str] = (
        "register one: Library('{namespace}', 'IMPL').impl('{op}', kernel, '{key}'), or"
        " add it under 'dispatch' in the YAML and generate again"
    )

    #: What all operators of the key space share.
    dispatcher: ClassVar[Dispatcher]
    #: Registrations and dispatch tables.
    tables: OpTables

    @property
    def dispatch_table(self) -> DispatchTable:
        """The table of ordinary dispatch."""
        return self.tables.ordinary

    @property
    def python_table(self) -> DispatchTable:
        """The table that the Python dispatcher reads."""
        return self.tables.python

    def underlying_python_kernels(self) -> Mapping[str, Kernel]:
        """Return the Python kernels below those of `py_impl`, where there are any."""
        return {}

    def table_for(self, setting: Setting) -> DispatchTable:
        """Return the table that calls under a setting read."""
        table = self.python_table if setting.python else self.dispatch_table
        if setting.disabled and (keys := setting.disabled_keys(self)):
            return without(self.dispatcher.space, table, keys)
        return table

    def takes_mixed(self, setting: Setting, index: int) -> bool:
        """Whether the kernel at a place takes arrays of several libraries."""
        kernel = self.table_for(setting).kernel(index)
        return kernel is not None and kernel.mixed

    def impl(
        self, key: Key, *, override: bool = False, mixed: bool = False
    ) -> Callable[[F], F]:
        """Return a decorator that registers a kernel at a runtime or alias key."""
        return self._decorator(key, python=False, override=override, mixed=mixed)

    def py_impl(
        self,
        key: Key | type[KernelsByClass],
        *,
        override: bool = False,
        mixed: bool = False,
    ) -> Callable[[F], F]:
        """Return a decorator that registers a kernel for the Python dispatcher alone.

        With the Python dispatcher off, it changes nothing. With a class of modes in the
        place of a key, it registers what this mode does with the operator: a function
        of the mode and the arguments, called whenever the mode is in force.
        """
        if isinstance(key, type):
            return key.kernel(self)
        return self._decorator(key, python=True, override=override, mixed=mixed)

    def _decorator(
        self, key: Key, python: bool, override: bool, mixed: bool
    ) -> Callable[[F], F]:
        name = self.dispatcher.backends.key(key)

        def decorate(function: F) -> F:
            site = caller_site("py_impl" if python else "impl")
            kernel = make_kernel(function, name, site, mixed)
            self.register(kernel, python=python, override=override)
            return function

        return decorate

    def register(
        self, kernel: Kernel, *, python: bool = False, override: bool = False
    ) -> Registration:
        """Put a kernel in force at its key; return the undo.

        Raises DuplicateKernelError where there is one and ``override`` is false.
        """
        self.tables.add(kernel, python, override)
        undo = lambda: self.tables.remove(kernel, python)  # noqa: E731
        return Registration(undo, f"{self.name} at {kernel.key}", self)
