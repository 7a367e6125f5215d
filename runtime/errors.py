"""Every error that keyslot raises on purpose.

One class per kind of mistake. Each is also a subclass of the built-in exception
that a caller would catch without knowing keyslot, keeps the facts it was built
from as attributes, and pickles.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class KeyslotError(Exception):
    """Base class of all errors of this package.

    Subclasses name their facts in ``_fields``; the facts are attributes of the
    error and are what it is pickled by. The message is made when it is asked for.
    """

    _fields: tuple[str, ...] = ()

    def __init__(self, *facts: Any) -> None:
        super().__init__(*facts)
        for name, fact in zip(self._fields, facts, strict=True):
            setattr(self, name, fact)

    def message(self) -> str:
        """Return the text shown to the user."""
        return " ".join(map(str, self.args))

    def __str__(self) -> str:
        return self.message()


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return `` Did you mean A or B?`` for a misspelt name, or an empty string."""
    # difflib costs a millisecond to import; only a mistake pays for it.
    from difflib import get_close_matches

    # Without regard to case: "numpy" for "NumPy" is the likeliest mistake of all.
    folded = {candidate.lower(): candidate for candidate in candidates}
    if name.lower() in folded:
        return f" Did you mean {folded[name.lower()]}?"
    close = get_close_matches(name.lower(), folded, n=3, cutoff=0.6)
    matches = [folded[match] for match in close]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""


_EXCERPT = 100
"""Most characters of a text that an error shows around the place it speaks of."""


def excerpt(text: str, column: int) -> tuple[str, int]:
    """Return one line of text around a column, and the column's offset in that line.

    What would move the caret is shown as a space, and a long text is cut on both
    sides. Columns count from 1.
    """
    shown = "".join(char if char.isprintable() else " " for char in text)
    offset = column - 1
    first = max(0, min(offset - _EXCERPT // 2, len(shown) - _EXCERPT))
    before = "..." if first else ""
    after = "..." if first + _EXCERPT < len(shown) else ""
    line = f"{before}{shown[first : first + _EXCERPT]}{after}"
    return line, offset - first + len(before)


class SchemaError(KeyslotError, ValueError):
    """A schema string that is malformed; ``column`` counts from 1."""

    _fields = ("text", "column", "problem")
    text: str
    column: int
    problem: str

    def message(self) -> str:
        line, offset = excerpt(self.text, self.column)
        return f"column {self.column}: {self.problem}\n    {line}\n    {' ' * offset}^"


class UnknownKeyError(KeyslotError, LookupError):
    """A dispatch key that the key space does not have."""

    _fields = ("key", "space", "known")
    key: str
    space: str
    known: tuple[str, ...]

    def message(self) -> str:
        hint = nearest(self.key, self.known)
        return f"the key space {self.space!r} has no dispatch key {self.key!r}.{hint}"


class KeySpaceError(KeyslotError, ValueError):
    """A key space that contradicts itself."""

    _fields = ("problem",)
    problem: str


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


class UnknownBackendError(KeyslotError, LookupError):
    """A backend that the key space does not have."""

    _fields = ("backend", "space", "known")
    backend: str
    space: str
    known: tuple[str, ...]

    def message(self) -> str:
        hint = nearest(self.backend, self.known)
        return f"the key space {self.space!r} has no backend {self.backend!r}.{hint}"


class BackendNameError(KeyslotError, ValueError):
    """A name that a backend cannot be given."""

    _fields = ("problem",)
    problem: str


class ArrayTypeError(KeyslotError, TypeError):
    """Something registered as a class of arrays that cannot be one."""

    _fields = ("problem",)
    problem: str


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


class DeclarationError(KeyslotError, ValueError):
    """Declarations that cannot be used, with every problem that was found."""

    _fields = ("problems",)
    problems: tuple[Any, ...]

    def message(self) -> str:
        count = len(self.problems)
        noun = "problem" if count == 1 else "problems"
        return "\n".join([*map(str, self.problems), f"{count} {noun}."])


class ArgumentValueError(KeyslotError, ValueError):
    """An argument whose value, not its type, cannot be used."""

    _fields = ("problem",)
    problem: str


class NotAKernelError(KeyslotError, TypeError):
    """Something registered as a kernel, or called as one, that is none."""

    _fields = ("problem",)
    problem: str


class KernelImportError(KeyslotError, ImportError):
    """A kernel that is declared but cannot be imported."""

    _fields = ("op", "key", "reference", "site", "why")
    op: str
    key: str
    reference: str
    site: str
    why: str

    def message(self) -> str:
        return (
            f"{self.op}: the kernel {self.reference!r} at {self.key} cannot be used\n"
            f"  declared in {self.site}\n  {self.why}"
        )


class OutShapeError(KeyslotError, ValueError):
    """An array given to be written whose shape is not that of the result."""

    _fields = ("argument", "shape", "expected")
    argument: str
    shape: tuple[int, ...]
    expected: tuple[int, ...]

    def message(self) -> str:
        return (
            f"{self.argument} has shape {self.shape}, the result has shape"
            f" {self.expected}; an array given to be written is not resized."
        )


class DtypeError(KeyslotError, TypeError):
    """A dtype that is unknown, or that an operator does not take."""

    _fields = ("problem",)
    problem: str
