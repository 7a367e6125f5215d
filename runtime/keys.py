"""The base of the generated ``DispatchKey`` enums."""

from __future__ import annotations

from enum import Enum


class KeyEnum(Enum):
    """A dispatch key; its value is its name, so it pickles by name.

    Members are unique objects, hence hash and compare by identity: the hash that
    ``Enum`` defines runs Python code on every dict lookup.
    """

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self._name_}"

    __str__ = __repr__
