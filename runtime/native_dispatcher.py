"""The dispatcher of a key space whose dispatch is that of a library, as PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from .dispatch_state import PYTHON_DISPATCHER, Key
from .dispatcher import Dispatcher
from .errors import LibraryError
from .keys import KeyEnum
from .keyset import KeySet
from .native_guard import Entered, NativeGuard

if TYPE_CHECKING:
    from .native import NativeOverload
    from .native_side import NativeSide
    from .space import KeySpace


class NativeDispatcher(Dispatcher):
    """What operators of a key space share whose dispatch is that of a library.

    The state is the library's, so guards change that. Whether there is a guard of ours
    anywhere is still told by ``active``.
    """

    #: The library, set by the package that knows it.
    side: NativeSide

    def __init__(self, space: KeySpace, keyset_type: type[KeySet[Any]]) -> None:
        super().__init__(space, keyset_type)
        #: The overloads, by namespace and schema: the library has one of each.
        self.overloads: Final[dict[tuple[str, str], NativeOverload]] = {}
        #: Those about whose kernels something has been kept since they last changed.
        self._read: dict[NativeOverload, str] = {}
        self._entered: Final = Entered()

    def connect(self, side: NativeSide) -> None:
        """Say which library this is."""
        self.side = side
        self.native_fallbacks_changed()

    def native_fallbacks_changed(self) -> None:
        """Ask again for the fallbacks of the native side, and make tables anew."""
        with self.lock:
            self.fallbacks = {
                key: (kernel,) for key, kernel in self.side.fallbacks().items()
            }
            self.forget_kernels()

    def forget_kernels(self, name: str | None = None) -> None:
        """Forget what the library has registered for an operator, or for all of them.

        ``name`` has no namespace, ``mul.Tensor``.
        """
        with self.lock:
            for op, known in tuple(self._read.items()):
                if name is None or known == name:
                    del self._read[op]
                    op.forget()
            self.changed()

    def check_dispatches(self, what: str) -> None:
        """Raise LibraryError: the library would know nothing of it."""
        raise LibraryError(
            f"{what} of the key space {self.space.name} belong to the library that"
            " dispatches its operators: register with that, or a Python kernel with"
            " py_impl"
        )

    def note_reading(self, op: NativeOverload) -> None:
        """Note that something is kept from now on that depends on native kernels.

        So registrations cost what there is to forget, and not a look at all operators.
        """
        self._read[op] = op.name.partition("::")[2]

    def include_keys(self, *keys: Key) -> NativeGuard:  # type: ignore[override]  # of the thread, and a guard all the same
        """Return a guard under which every call of this thread has these keys."""
        names = self._runtime_keys(keys)
        return self._native(lambda: self.side.including(names), "include_keys", keys)

    def exclude_keys(self, *keys: Key) -> NativeGuard:  # type: ignore[override]  # as above
        """Return a guard under which no call of this thread has these keys."""
        names = self._runtime_keys(keys)
        return self._native(lambda: self.side.excluding(names), "exclude_keys", keys)

    def enable_python_dispatcher(self) -> NativeGuard:  # type: ignore[override]  # as above
        """Return a guard under which the Python dispatcher comes before every key."""
        make = partial(self.side.python_dispatcher, enabled=True)
        return self._native(make, "enable_python_dispatcher")

    def disable_python_dispatcher(self) -> NativeGuard:  # type: ignore[override]  # as above
        """Return a guard under which the Python dispatcher is off."""
        make = partial(self.side.python_dispatcher, enabled=False)
        return self._native(make, "disable_python_dispatcher")

    def key_member(self, name: str) -> KeyEnum:
        """Return the member of the ``DispatchKey`` enum of a key."""
        keys: Any = self.keyset_type
        member: KeyEnum = keys.key_type[name]
        return member

    def word(self, values: tuple[Any, ...]) -> int:
        """Return the key set of a call in this thread, as the native side has it."""
        included, excluded = self.side.state()
        return (self.side.brought(values) | included) & ~excluded

    @property
    def is_python_on(self) -> bool:
        """Whether the Python dispatcher is on in this thread."""
        bits = self.side.bits(self.word(()))
        return bool(bits & self.space.bit(PYTHON_DISPATCHER))

    def _runtime_keys(self, keys: tuple[Key, ...]) -> tuple[str, ...]:
        return self.key_names(self.key_bits(keys))

    def _native(
        self, make: Callable[[], Any], name: str, keys: tuple[Key, ...] = ()
    ) -> NativeGuard:
        names = (key if isinstance(key, str) else key.name for key in keys)
        text = f"{name}({', '.join(names)})"
        return NativeGuard(self._entered, self.active, make, text)
