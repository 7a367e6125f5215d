"""Errors of what people type, and names that they may have meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..runtime.errors import KeyslotError
from ..runtime.nearest import nearest


class InputError(KeyslotError):
    """What somebody typed means nothing; the message says why, in one sentence."""

    _fields = ("sentence",)

    sentence: str


def check_names(given: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise InputError, with the nearest names, for a name that is not known."""
    for name in given:
        if name not in known:
            raise InputError(f"there is no {what} {name!r}.{nearest(name, known)}")
