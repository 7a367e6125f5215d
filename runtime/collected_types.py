"""Cache entries of types that can be collected.

Handler caches are plain dicts keyed by types, the fastest lookup there is, and so
they hold their types. A class is always part of reference cycles, hence only the
cyclic garbage collector frees it. Just before a full collection every cache that holds
a class made at run time is emptied: a class that nothing else holds goes, and for any
other the next call makes the entry again.
"""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any, Final, Protocol

_HEAP_TYPE: Final = 1 << 9  # Py_TPFLAGS_HEAPTYPE
# From 3.14 on old objects are collected in increments, reported as generation 1.
_OLDEST: Final = 1 if sys.version_info >= (3, 14) else 2


class TypeCache(Protocol):
    """A cache that may hold collectable types."""

    def clear(self) -> None:
        """Drop every entry."""
        ...


def is_collectable(cls: type) -> bool:
    """Whether a type was made at run time, so that it may be collected."""
    return bool(cls.__flags__ & _HEAP_TYPE)


class CollectedTypes:
    """The caches that hold types which may be collected."""

    def __init__(self) -> None:
        self._caches: Final[set[TypeCache]] = set()

        def before_collection(phase: str, info: dict[str, Any]) -> None:
            tracked = itself()
            if tracked and phase == "start" and info["generation"] >= _OLDEST:
                tracked.release()

        # Not removed by the callback itself: the one after it would be left out.
        itself = weakref.ref(self, lambda _: gc.callbacks.remove(before_collection))
        gc.callbacks.append(before_collection)

    def add(self, cache: TypeCache) -> None:
        """Note that a cache has got an entry for a collectable type."""
        self._caches.add(cache)

    def release(self) -> None:
        """Empty the caches that hold collectable types."""
        # No lock: a collection can start anywhere, also where the lock is held.
        while self._caches:
            self._caches.pop().clear()
