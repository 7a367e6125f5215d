"""What all errors of keyslot have in common."""

from __future__ import annotations

from typing import Any, Final

_PACKAGE: Final = __name__.rpartition(".")[0]


class KeyslotError(Exception):
    """Base class of all errors of keyslot.

    Subclasses name their facts in ``_fields``; the facts are attributes of the
    error and are what it is pickled by. The message is made when it is asked for.
    """

    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        # Ours show and pickle as classes of the package, wherever in it they are.
        if cls.__module__.startswith(f"{_PACKAGE}."):
            cls.__module__ = _PACKAGE

    def __init__(self, *facts: Any) -> None:
        super().__init__(*facts)
        for name, fact in zip(self._fields, facts, strict=True):
            setattr(self, name, fact)

    def message(self) -> str:
        """Return the text shown to the user."""
        return " ".join(map(str, self.args))

    def __str__(self) -> str:
        return self.message()
