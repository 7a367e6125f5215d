"""Array types: which backend an argument's type belongs to.

A type belongs to the nearest class in its method resolution order that is known,
either registered as an object or declared in the key space as ``module:name``, which
is matched without importing that module.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, get_origin

from .errors import ArrayTypeError
from .keyed_array import KeyedArray
from .space import KeySpace, bit_if_any

#: The method of array classes that decide themselves what a call with them does.
DISPATCH_METHOD: Final = "__keyslot_dispatch__"
#: The key at which they are asked.
PYTHON: Final = "Python"


class ArrayType(NamedTuple):
    """What an argument of some type brings into a call."""

    #: The backend whose array it is; empty where there is none.
    backend: str
    #: Bits of the keys it adds to the key set of the call.
    bits: int
    #: Whether it is a scalar of the backend, which gives way to arrays of others.
    scalar: bool
    #: Whether each object carries its own key set; then it belongs to no backend here.
    keyed: bool = False


class ArrayTypes:
    """The register of array types of one key space."""

    def __init__(self, space: KeySpace) -> None:
        self._space: Final = space
        self._registered: Final[weakref.WeakKeyDictionary[type, list[list[str]]]] = (
            weakref.WeakKeyDictionary()
        )
        # Replaced when a class is registered: what is being looked up meanwhile is
        # noted in the old one and forgotten with it.
        self._found: weakref.WeakKeyDictionary[type, ArrayType | None] = (
            weakref.WeakKeyDictionary()
        )
        #: The bit of the key at which modes and subclasses are called.
        self.python_bit: Final = bit_if_any(space, PYTHON)
        #: Backends of whose arrays those without dimensions count as scalars.
        self.scalar_backends: Final = frozenset(space.scalar_types.values())
        self._bits: Final = {
            backend: _array_bits(space, backend) for backend in space.backends
        }

    def lookup(self, cls: type) -> ArrayType | None:
        """Return what arguments of type ``cls`` bring, None if they are no arrays."""
        known = self._found
        try:
            return known[cls]
        except KeyError:
            found = known[cls] = self._search(cls)
            return found

    def bits_of(self, backend: str) -> int:
        """Return the bits of the keys that an array of a backend brings."""
        return self._bits[backend]

    def register(self, cls: type, backend: str) -> Callable[[], None]:
        """Make ``cls`` and its subclasses arrays of ``backend``; return the undo.

        Several registrations of one class form a stack, the newest is in force.
        """
        backends = self._registered.setdefault(cls, [])
        # A list of its own, which the undo can tell from those of the same backend.
        entry = [backend]
        backends.append(entry)
        self._found = weakref.WeakKeyDictionary()

        def undo() -> None:
            for place, held in enumerate(backends):
                if held is entry:
                    del backends[place]
                    break
            self._found = weakref.WeakKeyDictionary()

        return undo

    def _search(self, cls: type) -> ArrayType | None:
        if KeyedArray in cls.__mro__:
            return ArrayType("", 0, False, keyed=True)
        found = self._of_backend(cls)
        if not hasattr(cls, DISPATCH_METHOD):
            return found
        # It decides itself what a call with it does, at the key for such classes.
        own = found or ArrayType("", 0, False)
        return own._replace(bits=own.bits | self.python_bit)

    def _of_backend(self, cls: type) -> ArrayType | None:
        for base in cls.__mro__:
            if backends := self._registered.get(base):
                (newest,) = backends[-1]
                return ArrayType(newest, self._bits[newest], False)
            name = f"{base.__module__}:{base.__qualname__}"
            if backend := self._space.array_types.get(name):
                return ArrayType(backend, self._bits[backend], False)
            if backend := self._space.scalar_types.get(name):
                return ArrayType(backend, self._bits[backend], True)
        return None


#: Classes whose instances stand for arguments of other schema types.
_TAKEN: Final[frozenset[type]] = frozenset(
    (object, type, type(None), bool, int, float, complex, str, list, tuple)
)


def check_array_class(cls: object) -> None:
    """Raise ArrayTypeError for what cannot be registered as a class of arrays."""
    if not isinstance(cls, type):
        kind = type(cls).__name__
        origin = get_origin(cls)
        meant = f"; {cls} is an annotation, name the class" if origin else ""
        raise ArrayTypeError(
            f"register_array_type takes a class first, not {kind}{meant}"
        )
    if cls is Any or Protocol in cls.__bases__ or cls is Protocol:
        # Classes are found by what they are derived from, never by what they have.
        raise ArrayTypeError(
            f"{cls.__name__} says what arrays look like, and classes that merely do are"
            " not found by it; register the classes themselves"
        )
    if cls in _TAKEN:
        raise ArrayTypeError(
            f"{cls.__name__} cannot be a class of arrays: schemas have another use for"
            " it; register a subclass"
        )


def _array_bits(space: KeySpace, backend: str) -> int:
    brought = space.array_functionalities
    keys = space.backend_keys(backend)
    return space.bits(k for k in keys if space.functionality_of[k] in brought)
