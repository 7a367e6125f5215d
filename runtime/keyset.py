"""Key sets: immutable sets of runtime keys over one Python int.

One bit per runtime key, so a set holds exactly the keys it was given. (PyTorch
packs backends and functionalities into one word, where {CPU, AutogradCUDA} also
"has" CUDA.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar

from .errors import MixedSpacesError
from .keys import KeyEnum
from .space import KeySpace, NamedKey

K = TypeVar("K", bound=KeyEnum)


def _not_renamed(name: str) -> str | None:
    del name
    return None


class KeySet(Generic[K]):
    """An immutable set of runtime keys, ordered by priority.

    Each key space has a subclass of its own, which sets ``space`` and ``key_type``.
    Keys are given as enum members or strings. Alias keys expand in the constructor.

    Raises UnknownKeyError for a key that the space does not have, MixedSpacesError
    (a TypeError) for a key or a set of another space.
    """

    __slots__ = ("bits",)

    #: The key space whose keys the set holds.
    space: ClassVar[KeySpace]
    #: The enum of that space, which also has the alias keys.
    key_type: type[K]
    #: The keys: ``space.keys[i]`` is the bit ``1 << (i - 1)``.
    bits: int
    #: Returns the key that a name means which `rename_backend` has made, if any. The
    #: dispatcher of the space says how.
    renamed: ClassVar[Callable[[str], str | None]] = staticmethod(_not_renamed)
    #: The enum members of ``space.keys``.
    _members: tuple[K, ...]
    #: The bit of each runtime key, by name and by member.
    _bits: Mapping[object, int]

    def __init_subclass__(cls) -> None:
        if "space" in cls.__dict__:
            cls._members = tuple(cls.key_type[name] for name in cls.space.keys)
            bits: dict[object, int] = {}
            for member in cls._members:
                bits[member] = bits[member.name] = cls.space.bit(member.name)
            cls._bits = bits

    def __init__(self, keys: Iterable[str | NamedKey] | str | NamedKey = ()) -> None:
        if isinstance(keys, str) or not isinstance(keys, Iterable):
            keys = (keys,)
        bits = 0
        for key in keys:
            bits |= self._bits.get(key) or self.space.bits((self._own(key),))
        _set_bits(self, bits)

    @classmethod
    def from_bits(cls, bits: int) -> Self:
        """Return the set that has these bits; they are not checked."""
        made = _new(cls)
        _set_bits(made, bits)
        return made

    @classmethod
    def full(cls) -> Self:
        """Return the set of all keys of the space."""
        return cls.from_bits(cls.space.all_bits)

    @classmethod
    def check_own(cls, key: object) -> None:
        """Raise MixedSpacesError for a member of another space's enum.

        It may have the name of a key here too, and mean something else by it.
        """
        if isinstance(key, KeyEnum) and not isinstance(key, cls.key_type):
            raise MixedSpacesError(cls.space.name, repr(key))

    def highest(self) -> K:
        """Return the key of highest priority; ``Undefined`` for an empty set."""
        return self._members[self.bits.bit_length()]

    def below(self, key: str | NamedKey) -> Self:
        """Return the keys of this set that have a lower priority than ``key``."""
        bit = self._bit(key)
        return self.from_bits(self.bits & (bit - 1) if bit else 0)

    def __contains__(self, key: str | NamedKey) -> bool:
        return self.bits & self._bit(key) != 0

    def __iter__(self) -> Iterator[K]:
        rest = self.bits
        while rest:
            lowest = rest & -rest
            yield self._members[lowest.bit_length()]
            rest ^= lowest

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __bool__(self) -> bool:
        return self.bits != 0

    def __or__(self, other: Self) -> Self:
        return self.from_bits(self.bits | self._bits_of(other))

    def __and__(self, other: Self) -> Self:
        return self.from_bits(self.bits & self._bits_of(other))

    def __sub__(self, other: Self) -> Self:
        return self.from_bits(self.bits & ~self._bits_of(other))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.bits == other.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(key.name for key in self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: a later version of the space may give the keys other bits.
        return type(self), (tuple(key.name for key in self),)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def _bit(self, key: str | NamedKey) -> int:
        bit = self._bits.get(key)
        return self.space.bit(self._own(key)) if bit is None else bit

    def _own(self, key: str | NamedKey) -> str | NamedKey:
        """Return a key that is no member of another space's enum, by its own name."""
        self.check_own(key)
        return (isinstance(key, str) and type(self).renamed(key)) or key

    def _bits_of(self, other: object) -> int:
        mine = type(self)
        if isinstance(other, mine):
            return other.bits
        if issubclass(type(other), KeySet):
            raise MixedSpacesError(self.space.name, repr(other))
        raise TypeError(
            f"a {mine.__name__} goes together with another one, not with"
            f" {type(other).__name__}; a single key is {mine.__name__}(key)"
        )


_new = object.__new__
# The slot's own setter: the class refuses assignments to its attributes.
_set_bits: Callable[[KeySet[Any], int], None] = vars(KeySet)["bits"].__set__
