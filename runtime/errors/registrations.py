"""Errors of registrations, and of what was registered."""

from __future__ import annotations

from typing import Final

from ..nearest import nearest
from .base import KeyslotError

#: What happened where two registrations come from one place.
SAME_LINE: Final = (
    "it is the same line, which ran twice: in a loop, or in a file that was imported"
    " under two names or reloaded"
)


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


class NativeOperatorError(KeyslotError, RuntimeError):
    """Something that an operator with a native side does not do, or does not have."""

    _fields = ("op", "why")
    op: str
    why: str

    def message(self) -> str:
        return f"{self.op}: {self.why}"


class NotAnOverloadError(KeyslotError, TypeError):
    """Something given in place of an overload."""

    _fields = ("wanted", "given", "overloads")
    #: What is needed.
    wanted: str
    #: What was given.
    given: str
    #: The overloads to choose from, where an operator was given.
    overloads: tuple[str, ...]

    def message(self) -> str:
        named = ", ".join(self.overloads)
        hint = f"; name one of its overloads: {named}" if named else ""
        return f"{self.wanted} is needed, not {self.given}{hint}"


#: So many names may be listed where none is near.
_FEW: Final = 10


class UnknownOperatorError(KeyslotError, LookupError):
    """An operator or overload that its namespace does not have."""

    _fields = ("namespace", "name", "known")
    namespace: str
    name: str
    known: tuple[str, ...]

    def message(self) -> str:
        if not self.known:
            return (
                f"no operators are known in namespace {self.namespace!r}; import the"
                " package that defines them first"
            )
        hint = nearest(self.name, self.known)
        if not hint and len(self.known) <= _FEW:
            hint = f" It has {', '.join(self.known)}."
        return f"namespace {self.namespace!r} has no operator {self.name!r}.{hint}"


class UnknownOverloadError(UnknownOperatorError):
    """An overload that its operator does not have; ``known`` are those it has."""

    def message(self) -> str:
        operator, dot, overload = self.name.partition(".")
        meant = f"'default', which {operator!r} alone means."
        wanted = f"{overload!r}." if dot else meant
        hint = nearest(self.name, self.known) if dot else ""
        hint = hint or f" Name one of {', '.join(self.known)}."
        return f"{self.namespace}::{operator} has no overload {wanted}{hint}"


class DuplicateKernelError(KeyslotError, ValueError):
    """A second kernel at one key without ``override=True``."""

    _fields = ("op", "key", "first", "second")
    op: str
    key: str
    #: Site of the kernel that is there.
    first: str
    #: Site of the refused registration.
    second: str

    def message(self) -> str:
        same = f"  {SAME_LINE}\n" if self.first == self.second else ""
        return (
            f"{self.op} already has a kernel at {self.key}\n"
            f"  registered at {self.first}\n"
            f"  refused now at {self.second}\n"
            f"{same}"
            "  what to do: pass override=True to put the new one on top; undoing it"
            " brings the first one back"
        )


class PackageChangedError(KeyslotError, ImportError):
    """Operators that are loaded from a package generated anew since its import."""

    _fields = ("package",)
    package: str

    def message(self) -> str:
        return (
            f"{self.package} was generated anew after this process had imported it;"
            " start the process again"
        )


class DuplicateOperatorError(KeyslotError, ValueError):
    """An overload that is defined twice."""

    _fields = ("op", "first", "second", "difference")
    op: str
    first: str
    second: str
    #: How the two schemas differ.
    difference: str

    def message(self) -> str:
        return (
            f"{self.op} is defined twice\n  first at {self.first}\n"
            f"  again at {self.second}\n  {self.difference}"
        )


class ClosedLibraryError(KeyslotError, RuntimeError):
    """Use of a Library that has been closed."""

    _fields = ("library",)
    library: str

    def message(self) -> str:
        return f"{self.library} is closed; make a new Library to register more"


class OperatorRemovedError(KeyslotError, RuntimeError):
    """A call of an operator whose Library has been closed."""

    _fields = ("op", "library")
    op: str
    library: str

    def message(self) -> str:
        return (
            f"{self.op} no longer exists: {self.library}, which defined it, was closed"
        )


class LibraryError(KeyslotError, ValueError):
    """A Library used for what it may not do."""

    _fields = ("problem",)
    problem: str


class NotExportedError(KeyslotError, LookupError):
    """A package without operators for PyTorch, asked to register them."""

    _fields = ("package",)
    package: str

    def message(self) -> str:
        return (
            f"{self.package} has no operators for PyTorch; write 'torch: true' into the"
            " YAML of each, or torch = true into [tool.keyslot], and run the generator"
        )


class NotExportedOperatorError(KeyslotError, LookupError):
    """An operator that a rule calls, and that PyTorch does not have."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return (
            f"a rule calls {self.op}, which PyTorch has neither as its own nor as an"
            " exported operator, and which is no composite; export it, or write the"
            " rule for PyTorch, under torch: in the YAML of the operator that has it"
        )


class UnreadableTextError(KeyslotError, ValueError):
    """Something that PyTorch prints of an operator in a form that is not known."""

    _fields = ("what", "line")
    #: What is printed: registrations, or a table.
    what: str
    #: The line that cannot be read.
    line: str

    def message(self) -> str:
        return (
            f"PyTorch prints a line of an operator's {self.what} that keyslot.torch"
            f" cannot read: {self.line!r}; is it the version that keyslot.torch was"
            " tested with?"
        )
