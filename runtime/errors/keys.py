"""Errors of keys, key sets, backends and array types."""

from __future__ import annotations

from ..nearest import nearest
from .base import KeyslotError


class UnknownKeyError(KeyslotError, LookupError):
    """A dispatch key that the key space does not have."""

    _fields = ("key", "space", "known")
    key: str
    space: str
    known: tuple[str, ...]

    def message(self) -> str:
        hint = nearest(self.key, self.known)
        return f"the key space {self.space!r} has no dispatch key {self.key!r}.{hint}"


class AliasKeyError(KeyslotError, ValueError):
    """An alias key where one runtime key is needed."""

    _fields = ("key", "expansion")
    key: str
    expansion: tuple[str, ...]

    def message(self) -> str:
        some = ", ".join(self.expansion[:3])
        more = ", ..." if len(self.expansion) > 3 else ""
        return (
            f"{self.key!r} is an alias key and stands for several keys ({some}{more});"
            " name one of them."
        )


class MixedSpacesError(KeyslotError, TypeError):
    """A key or a key set of one key space where one of another is needed."""

    _fields = ("space", "other")
    space: str
    other: str

    def message(self) -> str:
        return (
            f"{self.other} belongs to another key space than {self.space!r};"
            " keys of two spaces do not mix."
        )


class UnknownBackendError(KeyslotError, LookupError):
    """A backend that the key space does not have."""

    _fields = ("backend", "space", "known")
    backend: str
    space: str
    known: tuple[str, ...]

    def message(self) -> str:
        hint = nearest(self.backend, self.known)
        return (
            f"the key space {self.space!r} has no backend {self.backend!r}.{hint}"
            " rename_backend gives one of its backends a name of yours."
        )


class BackendLoadingError(KeyslotError, RuntimeError):
    """Two threads that load a backend and import a module, each waiting for the other.

    ``backend`` is the one that is loaded.
    """

    _fields = ("backend",)
    backend: str

    def message(self) -> str:
        return (
            f"another thread is loading what entry points bring for {self.backend},"
            " and may wait for a module that this thread is importing; what to do:"
            " call operators after the import, not in the body of the module"
        )


class BackendNameError(KeyslotError, ValueError):
    """A name that a backend cannot be given."""

    _fields = ("problem",)
    problem: str


class ArrayTypeError(KeyslotError, TypeError):
    """Something registered as a class of arrays that cannot be one."""

    _fields = ("problem",)
    problem: str
