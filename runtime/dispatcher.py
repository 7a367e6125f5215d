"""The dispatcher of one key space: everything about it that changes at run time.

That is the array types, the backend fallbacks, the operators that are loaded, the
state of each thread, and the lock under which registrations and caches change.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .array_types import ArrayTypes, check_array_class
from .backends import BackendNames, EntryPoints
from .collected_types import CollectedTypes
from .errors import DispatchError, MixedBackendsError, NotAnOverloadError
from .guards import Guard, Snapshot
from .kernel import Kernel
from .keyset import KeySet
from .registrations import Registration, Stacks, active, fallback_stacks
from .space import KeySpace, NamedKey
from .state import ActiveStates, Setting, State, Switches, Tracer

if TYPE_CHECKING:
    from .op import OpOverload

Key = str | NamedKey
T = TypeVar("T")

#: The key above all others; what it does is not a kernel but a setting of the state.
PYTHON_DISPATCHER: Final = "PythonDispatcher"


class Dispatcher:
    """What operators of one key space share."""

    def __init__(self, space: KeySpace, keyset_type: type[KeySet[Any]]) -> None:
        #: The key space.
        self.space: Final = space
        #: The class of the space's key sets.
        self.keyset_type: Final = keyset_type
        #: Held while registrations and caches change, never while a kernel runs.
        self.lock: Final = threading.RLock()
        #: Goes up with every change that a cached handler may depend on.
        self.version = 0
        #: True while any thread or task has a state other than the default.
        self.active: Final = ActiveStates()
        #: The operators that are loaded.
        self.ops: Final[set[OpOverload]] = set()
        #: The class of the space's overloads, set when it is made.
        self.overload_type: type[OpOverload]
        #: Caches with entries for types that may be collected.
        self.collected_types: Final = CollectedTypes()
        #: Backends by the names that users give them.
        self.backends: Final = BackendNames(space, keyset_type.check_own)
        keyset_type.renamed = staticmethod(self.backends.renamed)
        #: Kernels of other distributions, loaded when a backend is first met.
        self.entry_points: Final = EntryPoints()
        #: The register of array types.
        self.arrays: Final = ArrayTypes(space)
        self._built_in_fallbacks: Final = fallback_stacks(space)
        #: Backend fallbacks, those built into the space at the bottom.
        self.fallbacks: Stacks = self._built_in_fallbacks
        self._settings: Final[dict[Switches, Setting]] = {}
        self._python_bit: Final = _bit_if_any(space, PYTHON_DISPATCHER)
        #: Bits of the keys that can be dispatched to: all but the Python dispatcher.
        self.dispatch_bits: Final = space.all_bits & ~self._python_bit
        included, excluded = space.bits(space.included), space.bits(space.excluded)
        #: The setting of the default state.
        self.default: Final = self.setting(
            Switches(included, space.all_bits & ~excluded)
        )
        default = State(self.default)
        #: The state of the current thread or task.
        self.state: Final[ContextVar[State]] = ContextVar(
            f"keyslot state of {space.name}", default=default
        )

    def setting(self, switches: Switches) -> Setting:
        """Return the setting of these switches, the same object for the same ones."""
        found = self._settings.get(switches)
        if found is None:
            python = switches.included & switches.allowed & self._python_bit
            found = Setting(switches, bool(python))
            if found.lasting:
                found = self._settings.setdefault(switches, found)
        return found

    def key_names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the keys of a set, highest first."""
        keys = self.space.keys
        held = (n for n in range(bits.bit_length(), 0, -1) if bits >> n - 1 & 1)
        return tuple(keys[n] for n in held)

    def state_keys(self, setting: Setting) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the keys that a setting adds to calls, and takes away."""
        return (
            self.key_names(setting.included & setting.allowed),
            self.key_names(self.space.all_bits & ~setting.allowed),
        )

    def key_bits(self, keys: Iterable[Key]) -> int:
        """Return the bits of keys; a backend's name means all its runtime keys."""
        bits = 0
        for key in keys:
            name = self.backends.key(key)
            backend = name in self.space.backends
            bits |= self.space.bits(
                self.space.backend_keys(name) if backend else (name,)
            )
        return bits

    def include_keys(self, *keys: Key) -> Guard:
        """Return a guard under which every call has these keys in its key set.

        A backend stands for all its runtime keys, an alias key for what it expands to.
        """
        bits = self.key_bits(keys)
        return self._guard(
            lambda old: old._replace(
                included=old.included | bits, allowed=old.allowed | bits
            ),
            "include_keys",
            keys,
        )

    def exclude_keys(self, *keys: Key) -> Guard:
        """Return a guard under which no call has these keys in its key set.

        A backend stands for all its runtime keys, an alias key for what it expands to.
        """
        bits = self.key_bits(keys)
        return self._guard(
            lambda old: old._replace(allowed=old.allowed & ~bits),
            "exclude_keys",
            keys,
        )

    def below_autograd(self) -> Guard:
        """Return a guard that excludes all autograd keys, as ``no_grad`` code does."""
        return self.exclude_keys("Autograd")

    def enable_python_dispatcher(self) -> Guard:
        """Return a guard under which the Python dispatcher comes before every key."""
        return self.include_keys(PYTHON_DISPATCHER)

    def disable_python_dispatcher(self) -> Guard:
        """Return a guard under which the Python dispatcher is off."""
        return self.exclude_keys(PYTHON_DISPATCHER)

    def dispatch_trace(self, write: Tracer | None = None) -> Guard:
        """Return a guard under which every call is reported, one line each.

        ``write`` takes the lines; by default they are printed to standard error.
        """
        tracer = write or _print_line
        return self._guard(lambda old: old._replace(tracer=tracer), "dispatch_trace")

    def check_kernels(self) -> Guard:
        """Return a guard under which kernels are held to their schemas.

        A kernel that returns another number of values, writes to an argument that is
        not marked as written, or returns memory that the schema does not say it
        shares, raises KernelCheckError. For debugging: arguments are copied. A kernel
        that `kernel_for` handed out is called without the dispatcher, and unchecked.
        """
        return self._guard(lambda old: old._replace(checking=True), "check_kernels")

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
        return self._guard(
            lambda old: old._replace(disabled=old.disabled | off),
            "disable_kernel",
            (op.name, *names),
        )

    def check_overload(self, op: object, wanted: str) -> None:
        """Raise NotAnOverloadError unless this is an overload of the key space."""
        if not isinstance(op, self.overload_type):
            packet = getattr(op, "packet", None)
            members: tuple[OpOverload, ...] = getattr(packet, "members", ())
            names = tuple(member.qualified_name for member in members)
            foreign = isinstance(getattr(op, "dispatcher", None), Dispatcher)
            given = "one of another key space" if foreign else type(op).__name__
            raise NotAnOverloadError(wanted, given, names)

    def snapshot(self) -> Snapshot:
        """Return the state of this thread or task, to be restored on another one."""
        return Snapshot(self.state, self.active)

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

    def _guard(
        self,
        change: Callable[[Switches], Switches],
        name: str,
        keys: tuple[Key, ...] = (),
    ) -> Guard:
        names = (key if isinstance(key, str) else key.name for key in keys)
        text = f"{name}({', '.join(names)})"
        return Guard(
            self.state,
            self.active,
            lambda old: self.setting(change(old.switches)),
            text,
        )


def _print_line(line: str) -> None:
    print(line, file=sys.stderr)


def _bit_if_any(space: KeySpace, key: str) -> int:
    return space.bit(key) if key in space.keys else 0
