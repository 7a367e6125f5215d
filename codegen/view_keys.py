"""The view of a key space: the module with its keys, sets and dispatcher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..runtime.space import KeySpace
from .literals import docstring, string

_Entries: TypeAlias = Mapping[str, str | tuple[str, ...]]
_Field: TypeAlias = str | tuple[str, ...] | _Entries | None


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of a key space; exactly one of the values is there."""

    name: str
    #: A value on one line, the items of a tuple, or the items of a mapping.
    value: str | None = None
    items: tuple[str, ...] | None = None
    entries: tuple[tuple[str, str | tuple[str, ...]], ...] | None = None


@dataclass(frozen=True, slots=True)
class KeysView:
    """A key space as pieces of source."""

    doc: str
    keys: tuple[str, ...]
    aliases: tuple[str, ...]
    #: Arguments of ``KeySpace``; what is empty is left away.
    fields: tuple[FieldView, ...]


def keys_view(space: KeySpace) -> KeysView:
    """Return the view of a key space."""
    doc = docstring(f"The dispatch keys of the key space {space.name}.")
    return KeysView(doc, space.keys, tuple(space.aliases), tuple(_fields(space)))


def _fields(space: KeySpace) -> Iterator[FieldView]:
    # The fields are the arguments of KeySpace, in its own order.
    for name in KeySpace.__slots__:
        value: _Field = getattr(space, name)
        if name.startswith("_") or not value:
            continue
        if isinstance(value, str):
            yield FieldView(name, value=string(value))
        elif isinstance(value, tuple):
            yield FieldView(name, items=tuple(map(string, value)))
        else:
            yield FieldView(name, entries=tuple(_entries(value)))


def _entries(mapping: _Entries) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    # In the order of the space: that of aliases has a meaning.
    for key, value in mapping.items():
        if isinstance(value, str):
            yield string(key), string(value)
        else:
            yield string(key), tuple(map(string, value))
