"""Backends: the names that users give them and the packages that bring them."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Final

from .errors import BackendLoadingError, BackendNameError, UnknownBackendError
from .frames import is_importing
from .space import KeySpace, NamedKey, is_identifier

ENTRY_POINT_GROUP: Final = "keyslot.backends"


class BackendNames:
    """The backends of a space and the names that users have given them."""

    def __init__(self, space: KeySpace, check_own: Callable[[object], None]) -> None:
        self._space: Final = space
        #: Refuses keys of other spaces.
        self._check_own: Final = check_own
        # Replaced, never changed: other threads may be going through it.
        self._renamed: dict[str, str] = {}

    def backend(self, name: str | NamedKey) -> str:
        """Return the backend that goes by a name, its own or a given one.

        Raises UnknownBackendError with the nearest names where there is none, and
        MixedSpacesError for a key of another space.
        """
        self._check_own(name)
        text = name if isinstance(name, str) else name.name
        found = self._renamed.get(text, text)
        if found not in self._space.backends:
            known = (*self._space.backends, *self._renamed)
            raise UnknownBackendError(text, self._space.name, known)
        return found

    def of_device(self, device: str) -> str | None:
        """Return the backend that a device string names, without regard to case.

        What follows a colon, as in ``cupy:1``, is the backend's business.
        """
        wanted = device.partition(":")[0].lower()
        for name in (*self._renamed, *self._space.backends):
            if name.lower() == wanted:
                return self._renamed.get(name, name)
        return None

    def key(self, key: str | NamedKey) -> str:
        """Return the name of a key; renamed backends are known in any key's name.

        Raises UnknownKeyError with the nearest names, and MixedSpacesError for a key of
        another space.
        """
        self._check_own(key)
        renamed = self.renamed(key) if isinstance(key, str) else None
        return renamed or self._space.check(key, alias_ok=True)

    def renamed(self, text: str) -> str | None:
        """Return the key that ``text`` names by a backend's given name, if any."""
        for given, backend in self._renamed.items():
            for candidate in self._space.backend_keys(backend):
                if candidate.replace(backend, given) == text:
                    return candidate
        return None

    def rename(self, backend: str | NamedKey, name: str) -> Callable[[], None]:
        """Let a backend go by another name too; return the undo.

        Raises UnknownBackendError, or BackendNameError for a name it cannot have.
        """
        old = self.backend(backend)
        if not is_identifier(name):
            raise BackendNameError(
                f"a backend's name must be an identifier, not {name!r};"
                " it becomes part of the names of keys"
            )
        known = (*self._space.keys, *self._space.aliases)
        for key in self._space.backend_keys(old):
            made = key.replace(old, name)
            if made in known or self.renamed(made):
                raise BackendNameError(
                    f"{made!r} is the name of a key or backend already"
                )
        self._renamed = {**self._renamed, name: old}

        def undo() -> None:
            self._renamed = {n: b for n, b in self._renamed.items() if n != name}

        return undo


class EntryPoints:
    """Kernels that other distributions bring for a backend.

    Such a distribution names a function, or a module to import, under the entry point
    group ``keyslot.backends`` with the backend as the name. It is loaded when an
    array of this backend first takes part in a call, once in a process.
    """

    #: Seconds for which a thread waits for another one while it imports something.
    patience: float = 60.0

    def __init__(self) -> None:
        self._loaded: Final[set[str]] = set()
        self._begun: Final[set[str]] = set()
        self._lock: Final = RLock()

    def load(self, backend: str) -> None:
        """Load what other distributions bring for a backend, if not done already.

        Another thread that needs the same waits until it is there. What fails to load
        says so at every call.

        Raises BackendLoadingError in a thread that has waited long in an import: the
        other one may in turn wait for the module that is imported here.
        """
        if backend in self._loaded:
            return
        if not self._lock.acquire(timeout=self.patience if is_importing() else -1):
            raise BackendLoadingError(backend)
        try:
            self._load_once(backend)
        finally:
            self._lock.release()

    def _load_once(self, backend: str) -> None:
        if backend in self._begun:
            # Done meanwhile, or one of them calls an operator while it is loaded.
            return
        self._begun.add(backend)
        try:
            self._load(backend)
        except BaseException:
            self._begun.discard(backend)
            raise
        self._loaded.add(backend)

    @staticmethod
    def _load(backend: str) -> None:
        # Reading the metadata of all distributions takes milliseconds, so it is left
        # until the first array of a backend appears.
        from importlib.metadata import entry_points

        for entry in entry_points(group=ENTRY_POINT_GROUP, name=backend):
            loaded = entry.load()
            if callable(loaded):
                loaded()
