"""What two versions of declarations differ in, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..cells import Lead


@dataclass(frozen=True, slots=True)
class Change:
    """One fact that is another now; None stands for none."""

    #: What it is a fact about: a key, a field, or an aspect of a signature.
    of: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class CellChange:
    """Runtime keys of an overload that lead elsewhere now, all of them alike."""

    #: Lowest priority first.
    keys: tuple[str, ...]
    before: Lead
    after: Lead
    #: Why the first of the keys leads there now.
    reason: str


@dataclass(frozen=True, slots=True)
class ListedOverload:
    """An overload that only one version has."""

    name: str
    schema: str
    #: Key or alias key -> kernel.
    kernels: Mapping[str, str]
    derived_from: str | None


@dataclass(frozen=True, slots=True)
class OverloadChange:
    """What is different about an overload that both versions have."""

    name: str
    #: ``of`` is in words: ``default of alpha``.
    signature: tuple[Change, ...]
    #: Kernels by the key or alias key that they are registered at.
    kernels: tuple[Change, ...]
    cells: tuple[CellChange, ...]
    #: Other fields of the entry: tags, variants, rules, what PyTorch is told.
    fields: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class KeySpaceChange:
    """What is different about the key space. Keys are in order of priority."""

    keys_added: tuple[str, ...]
    keys_removed: tuple[str, ...]
    #: Whether the keys that both versions have come in another order now.
    reordered: bool
    aliases_added: tuple[str, ...]
    aliases_removed: tuple[str, ...]
    #: Alias keys that expand to other keys than before, of those that both have.
    aliases_changed: tuple[str, ...]

    @property
    def is_any(self) -> bool:
        """Whether there is any change."""
        names = (self.keys_added, self.keys_removed, self.aliases_added)
        more = (self.aliases_removed, self.aliases_changed)
        return self.reordered or any((*names, *more))


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that is different. Overloads are sorted by name."""

    #: What the versions are called; None is the working tree.
    old: str
    new: str | None
    space: KeySpaceChange
    added: tuple[ListedOverload, ...]
    removed: tuple[ListedOverload, ...]
    changed: tuple[OverloadChange, ...]
    #: How many overloads differ in the text of ``doc``.
    docs: int

    @property
    def cells(self) -> int:
        """How many cells of overloads that both versions have lead elsewhere."""
        groups = (group for overload in self.changed for group in overload.cells)
        return sum(len(group.keys) for group in groups)

    @property
    def is_dispatch(self) -> bool:
        """Whether any call may reach something else than before."""
        return bool(self.cells or self.added or self.removed or self.space.is_any)

    @property
    def is_any(self) -> bool:
        """Whether anything but text is different."""
        return self.is_dispatch or bool(self.changed)
