"""The key space: which dispatch keys there are, and what they stand for.

A key space is data. It is declared in YAML, read by the generator and rendered to
a module that calls ``KeySpace`` with everything already expanded, so importing a
space computes no more than an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, final

from .errors import AliasKeyError, KeySpaceError, UnknownBackendError, UnknownKeyError

UNDEFINED: Final = "Undefined"


class NamedKey(Protocol):
    """Anything that names a dispatch key: a member of a ``DispatchKey`` enum."""

    @property
    def name(self) -> str:
        """The name of the key."""
        ...


class RuleKernel(NamedTuple):
    """Where a rule that operators declare puts a kernel, and what makes the kernel."""

    #: The runtime or alias key.
    key: str
    #: A function as ``module:name``; it takes an operator and returns its kernel.
    maker: str


@final
class KeySpace:
    """All dispatch keys of one space, lowest priority first.

    ``keys[0]`` is ``"Undefined"``, the highest key of an empty set; every other key
    ``keys[i]`` has the bit ``1 << (i - 1)``. Hence ``keys[bits.bit_length()]`` is the
    highest key of any set of bits.
    """

    __slots__ = (
        "name",
        "keys",
        "backends",
        "functionality_of",
        "backend_of",
        "aliases",
        "autograd_backends",
        "autograd_other",
        "behind_autograd_other",
        "fallthrough",
        "fallbacks",
        "rules",
        "included",
        "excluded",
        "array_types",
        "scalar_types",
        "array_functionalities",
        "default_backend",
        "_index",
        "_aliases_of",
    )

    #: The name that errors and documentation use for the space.
    name: Final[str]
    #: Runtime keys, lowest priority first.
    keys: Final[tuple[str, ...]]
    #: Backends, lowest priority first.
    backends: Final[tuple[str, ...]]
    #: Runtime key to functionality, ``AutogradNumPy`` to ``Autograd``.
    functionality_of: Final[Mapping[str, str]]
    #: Runtime key of a per-backend functionality to backend.
    backend_of: Final[Mapping[str, str]]
    #: Alias key to the runtime keys it expands to; earlier aliases come first.
    aliases: Final[Mapping[str, tuple[str, ...]]]
    #: Autograd key to the backend keys whose kernels it differentiates.
    autograd_backends: Final[Mapping[str, tuple[str, ...]]]
    #: The autograd key shared by all backends without one of their own.
    autograd_other: Final[str | None]
    #: The backend keys that share ``autograd_other``.
    behind_autograd_other: Final[tuple[str, ...]]
    #: Keys whose built-in backend fallback is a fallthrough.
    fallthrough: Final[tuple[str, ...]]
    #: Key to its built-in backend fallback, ``module:name``, where it has another one.
    fallbacks: Final[Mapping[str, str]]
    #: Rule that operators may declare, such as ``shape``, to the kernel it gives them.
    rules: Final[Mapping[str, RuleKernel]]
    #: Keys that every call includes unless a guard says otherwise.
    included: Final[tuple[str, ...]]
    #: Keys that every call excludes unless a guard says otherwise.
    excluded: Final[tuple[str, ...]]
    #: Array type as ``module:qualified_name`` to backend.
    array_types: Final[Mapping[str, str]]
    #: Type of a backend's scalars as ``module:qualified_name`` to backend. Scalars give
    #: way to arrays of other backends, as do this backend's arrays without dimensions.
    scalar_types: Final[Mapping[str, str]]
    #: The functionalities that a plain array of a backend brings into a call.
    array_functionalities: Final[tuple[str, ...]]
    #: The backend of calls that no argument decides.
    default_backend: Final[str | None]

    def __init__(
        self,
        *,
        name: str,
        keys: tuple[str, ...],
        backends: tuple[str, ...] = (),
        functionality_of: Mapping[str, str],
        backend_of: Mapping[str, str] = MappingProxyType({}),
        aliases: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        autograd_backends: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        autograd_other: str | None = None,
        behind_autograd_other: tuple[str, ...] = (),
        fallthrough: tuple[str, ...] = (),
        fallbacks: Mapping[str, str] = MappingProxyType({}),
        rules: Mapping[str, tuple[str, str]] = MappingProxyType({}),
        included: tuple[str, ...] = (),
        excluded: tuple[str, ...] = (),
        array_types: Mapping[str, str] = MappingProxyType({}),
        scalar_types: Mapping[str, str] = MappingProxyType({}),
        array_functionalities: tuple[str, ...] = (),
        default_backend: str | None = None,
    ) -> None:
        self.name = name
        self.keys = keys
        self.backends = backends
        self.functionality_of = MappingProxyType(dict(functionality_of))
        self.backend_of = MappingProxyType(dict(backend_of))
        self.aliases = MappingProxyType(dict(aliases))
        self.autograd_backends = MappingProxyType(dict(autograd_backends))
        self.autograd_other = autograd_other
        self.behind_autograd_other = behind_autograd_other
        self.fallthrough = fallthrough
        self.fallbacks = MappingProxyType(dict(fallbacks))
        self.rules = MappingProxyType({k: RuleKernel(*v) for k, v in rules.items()})
        self.included = included
        self.excluded = excluded
        self.array_types = MappingProxyType(dict(array_types))
        self.scalar_types = MappingProxyType(dict(scalar_types))
        self.array_functionalities = array_functionalities
        self.default_backend = default_backend
        self._index = _index(name, keys)
        self._aliases_of: dict[str, tuple[str, ...]] | None = None

    def __repr__(self) -> str:
        return f"<KeySpace {self.name!r}: {len(self.keys)} keys>"

    def index(self, key: str | NamedKey) -> int:
        """Return the place of a runtime key in ``keys``."""
        return self._index[self.check(key)]

    def bit(self, key: str | NamedKey) -> int:
        """Return the bit of a runtime key; ``Undefined`` has none and gives 0."""
        return 1 << self.index(key) >> 1

    def bits(self, keys: Iterable[str | NamedKey]) -> int:
        """Return the bits of some keys, alias keys expanded."""
        found = 0
        for key in keys:
            for runtime_key in self.expand(key):
                found |= 1 << self._index[runtime_key] >> 1
        return found

    @property
    def all_bits(self) -> int:
        """The bits of all runtime keys."""
        return (1 << len(self.keys) - 1) - 1

    @property
    def fallback_keys(self) -> tuple[str, ...]:
        """The keys that have a built-in backend fallback."""
        return (*self.fallthrough, *self.fallbacks)

    def check(self, key: str | NamedKey, *, alias_ok: bool = False) -> str:
        """Return the name of a key of this space.

        Raises UnknownKeyError where the space has no such key, AliasKeyError for an
        alias key unless ``alias_ok``, TypeError for what cannot name a key.
        """
        name = key if isinstance(key, str) else getattr(key, "name", None)
        if name in self._index:
            return str(name)
        if not isinstance(name, str):
            kind = type(key).__name__
            raise TypeError(
                f"a dispatch key is a member of an enum or a string, not {kind}"
            )
        if name not in self.aliases:
            raise UnknownKeyError(name, self.name, (*self.keys, *self.aliases))
        if not alias_ok:
            raise AliasKeyError(name, self.aliases[name])
        return name

    def expand(self, key: str | NamedKey) -> tuple[str, ...]:
        """Return the runtime keys of an alias key, or the runtime key itself."""
        name = self.check(key, alias_ok=True)
        return self.aliases.get(name) or (name,)

    def aliases_of(self, key: str) -> tuple[str, ...]:
        """Return the alias keys that expand to a runtime key, earliest first."""
        if self._aliases_of is None:
            self._aliases_of = _invert(self.aliases)
        return self._aliases_of.get(key, ())

    def backend_keys(self, backend: str) -> tuple[str, ...]:
        """Return all runtime keys of a backend, lowest priority first.

        Raises UnknownBackendError where the space has no such backend.
        """
        if backend not in self.backends:
            raise UnknownBackendError(backend, self.name, self.backends)
        return tuple(key for key in self.keys if self.backend_of.get(key) == backend)


def bit_if_any(space: KeySpace, key: str) -> int:
    """Return the bit of a runtime key, 0 where the space has no such key."""
    return space.bit(key) if key in space.keys else 0


def is_identifier(name: object) -> bool:
    """Whether this is a text that Python takes as a name."""
    return isinstance(name, str) and name.isidentifier()


def _index(space: str, keys: tuple[str, ...]) -> dict[str, int]:
    if keys[:1] != (UNDEFINED,):
        raise KeySpaceError(f"the first key of {space!r} must be {UNDEFINED!r}")
    index = {key: place for place, key in enumerate(keys)}
    if len(index) != len(keys):
        doubled = sorted({key for key in keys if keys.count(key) > 1})
        raise KeySpaceError(f"{space!r} names a key twice: {', '.join(doubled)}")
    return index


def _invert(aliases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for alias, keys in aliases.items():
        for key in keys:
            found[key] = (*found.get(key, ()), alias)
    return found
