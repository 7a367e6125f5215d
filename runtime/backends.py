"""Backends: the names that users give them and the packages that bring them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .errors import UnknownBackendError
from .space import KeySpace, NamedKey

ENTRY_POINT_GROUP: Final = "keyslot.backends"


class BackendNames:
    """The backends of a space and the names that users have given them."""

    def __init__(self, space: KeySpace) -> None:
        self._space: Final = space
        self._renamed: Final[dict[str, str]] = {}

    def backend(self, name: str | NamedKey) -> str:
        """Return the backend that goes by a name, its own or a given one.

        Raises UnknownBackendError with the nearest names where there is none.
        """
        text = name if isinstance(name, str) else name.name
        found = self._renamed.get(text, text)
        if found not in self._space.backends:
            known = (*self._space.backends, *self._renamed)
            raise UnknownBackendError(text, self._space.name, known)
        return found

    def of_device(self, device: str) -> str | None:
        """Return the backend that a device string names, without regard to case."""
        wanted = device.lower()
        for name in (*self._renamed, *self._space.backends):
            if name.lower() == wanted:
                return self._renamed.get(name, name)
        return None

    def key(self, key: str | NamedKey) -> str:
        """Return the name of a key; renamed backends are known in any key's name.

        Raises UnknownKeyError with the nearest names.
        """
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
        """Let a backend go by another name too; return the undo."""
        old = self.backend(backend)
        if not name.isidentifier():
            raise ValueError(
                f"a backend's name must be an identifier, not {name!r};"
                " it becomes part of the names of keys"
            )
        taken = name in self._space.keys or name in self._space.aliases
        if taken or self._renamed.get(name, old) != old:
            raise ValueError(f"{name!r} is the name of another key or backend")
        self._renamed[name] = old

        def undo() -> None:
            self._renamed.pop(name, None)

        return undo


class EntryPoints:
    """Kernels that other distributions bring for a backend.

    Such a distribution names a function, or a module to import, under the entry point
    group ``keyslot.backends`` with the backend as the name. It is loaded when an
    array of this backend first takes part in a call, once in a process.
    """

    def __init__(self) -> None:
        self._seen: Final[set[str]] = set()

    def load(self, backend: str) -> None:
        """Load what other distributions bring for a backend, if not done already."""
        if backend in self._seen:
            return
        self._seen.add(backend)
        # Reading the metadata of all distributions takes milliseconds, so it is left
        # until the first array of a backend appears.
        from importlib.metadata import entry_points

        for entry in entry_points(group=ENTRY_POINT_GROUP, name=backend):
            loaded = entry.load()
            if callable(loaded):
                loaded()
