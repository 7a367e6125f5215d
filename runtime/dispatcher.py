"""The dispatcher of one key space: everything about it that changes at run time.

That is the array types, the backend fallbacks, the operators that are loaded, the lock
under which registrations and caches change, and, from its base class, the state of each
thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .array_types import ArrayTypes, check_array_class
from .backends import BackendNames, EntryPoints
from .collected_types import CollectedTypes
from .dispatch_state import DispatchState
from .errors import DispatchError, MixedBackendsError, NotAnOverloadError
from .guards import Guard
from .kernel import Kernel
from .keyset import KeySet
from .registrations import Registration, Stacks, active, fallback_stacks
from .space import KeySpace, NamedKey, bit_if_any

if TYPE_CHECKING:
    from .op import OpOverload

Key = str | NamedKey
T = TypeVar("T")

#: The backend of arrays that have a shape and a dtype, and no elements.
ABSTRACT: Final = "Meta"


class Dispatcher(DispatchState):
    """What operators of one key space share."""

    def __init__(self, space: KeySpace, keyset_type: type[KeySet[Any]]) -> None:
        super().__init__(space, BackendNames(space, keyset_type.check_own))
        keyset_type.renamed = staticmethod(self.backends.renamed)
        #: The class of the space's key sets.
        self.keyset_type: Final = keyset_type
        #: Held while registrations and caches change, never while a kernel runs.
        self.lock: Final = threading.RLock()
        #: Goes up with every change that a cached handler may depend on.
        self.version = 0
        #: The operators that are loaded.
        self.ops: Final[set[OpOverload]] = set()
        #: The class of the space's overloads, set when it is made.
        self.overload_type: type[OpOverload]
        #: Caches with entries for types that may be collected.
        self.collected_types: Final = CollectedTypes()
        #: Kernels of other distributions, loaded when a backend is first met.
        self.entry_points: Final = EntryPoints()
        #: The register of array types.
        self.arrays: Final = ArrayTypes(space)
        self._dense_bits: Final = {
            backend: bit_if_any(space, backend) for backend in space.backends
        }
        self._built_in_fallbacks: Final = fallback_stacks(space)
        #: Backend fallbacks, those built into the space at the bottom.
        self.fallbacks: Stacks = self._built_in_fallbacks

    def disable_kernel(self, op: OpOverload, key: Key, *more: Key) -> Guard:
        """Return a guard under which an overload has no kernel at these keys.

        Calls of this thread or task find what they would if nothing were registered
        there: a composite, a backend fallback, or an error. Other threads see no
        change. For debugging: under it every call is resolved anew.

        Raises NotAnOverloadError, and UnknownKeyError.
        """
        self.check_overload(op, "an overload")
        names = [self.backends.key(name) for name in (key, *more)]
        off = frozenset((op, name) for name in names)
        return self.guard(
            lambda old: old._replace(disabled=old.disabled | off),
            "disable_kernel",
            (op.name, *names),
        )

    def backends_of(self, bits: int) -> list[str]:
        """Return the backends whose arrays a key set has; abstract ones are of none."""
        dense = self._dense_bits
        return [name for name, bit in dense.items() if bits & bit and name != ABSTRACT]

    def check_dispatches(self, what: str) -> None:
        """Raise LibraryError where another library dispatches, and ``what`` is its own.

        Here nothing is: the operators of this key space are dispatched by keyslot.
        """

    def check_overload(self, op: object, wanted: str) -> None:
        """Raise NotAnOverloadError unless this is an overload of the key space."""
        if not isinstance(op, self.overload_type):
            packet = getattr(op, "packet", None)
            members: tuple[OpOverload, ...] = getattr(packet, "members", ())
            names = tuple(member.qualified_name for member in members)
            foreign = isinstance(getattr(op, "dispatcher", None), Dispatcher)
            given = "one of another key space" if foreign else type(op).__name__
            raise NotAnOverloadError(wanted, given, names)

    def register_array_type(self, cls: type, backend: Key) -> Registration:
        """Make a class, and its subclasses, arrays of a backend; return the undo.

        Raises ArrayTypeError for what is no class, or one that schemas have another
        use for, and UnknownBackendError.
        """
        check_array_class(cls)
        name = self.backends.backend(backend)
        undo = self.arrays.register(cls, name)
        return self._types_registered(undo, f"{cls.__qualname__} as {name}")

    def rename_backend(self, backend: Key, name: str) -> Registration:
        """Give a backend of the space a name of your own; return the undo.

        The new name is taken wherever a key or a device is named; the old one stays.
        """
        undo = self.backends.rename(backend, name)
        # A device of this name means something else now, as a type does.
        return self._types_registered(undo, f"{backend} renamed to {name}")

    def changed(self) -> None:
        """Note a change that cached handlers may depend on; the lock must be held.

        To be called when the change is done: who saw anything of the old state of
        affairs must find that the version has gone up.
        """
        self.version += 1

    def settle(self, make: Callable[[], T], keep: Callable[[T], object]) -> T:
        """Return what ``make`` returns, given to ``keep`` while nothing can change.

        Kernels are imported, and so things are made, without the lock. Whatever is
        registered meanwhile may make them stale, and then they are made again. So are
        errors about keys and kernels: they may be of two states of affairs at once.
        """
        while True:
            version = self.version
            try:
                made = make()
            except (DispatchError, MixedBackendsError):
                if self.version == version:
                    raise
                continue
            with self.lock:
                if self.version == version:
                    keep(made)
                # Still: a finalizer may have registered something on this very thread.
                if self.version == version:
                    return made

    def loaded_ops(self) -> set[OpOverload]:
        """Return the operators that are loaded at this moment."""
        return self.ops.copy()

    @property
    def has_own_fallbacks(self) -> bool:
        """Whether there are fallbacks beside those that are built into the space."""
        return self.fallbacks != self._built_in_fallbacks

    def active_fallbacks(self) -> dict[str, Kernel]:
        """Return the fallback in force at each key that has one."""
        return active(self.fallbacks)

    def _types_registered(self, undo: Callable[[], None], what: str) -> Registration:
        """Forget what types meant, now and when the registration is undone."""
        self._forget_types()

        def take_back() -> None:
            undo()
            self._forget_types()

        return Registration(take_back, what)

    def _forget_types(self) -> None:
        with self.lock:
            for op in self.loaded_ops():
                op.forget_types()
            self.changed()
