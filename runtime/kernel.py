"""Kernels: what somebody registered, and where."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple, final

from .errors import KernelImportError, NotAKernelError
from .frames import frames
from .keys import KeyEnum

AnyFunction = Callable[..., Any]


class Site(NamedTuple):
    """Where something was registered."""

    #: The file, as Python names it, or the YAML file of a declaration.
    file: str
    #: The line, 0 for a declaration: generated code must not change when lines move.
    line: int
    #: The Library, or what else registered it.
    library: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place} ({self.library})"


def caller_site(library: str, inside: str | None = None) -> Site:
    """Return the site of the nearest caller outside a package, by default this one.

    Only the frame's file name and line number are read; nothing is looked up in
    ``sys.modules``, where unrelated lazy modules may fail to import.
    """
    own = inside or __name__.rpartition(".")[0]
    for frame in frames():
        if frame.f_globals.get("__package__") != own:
            return Site(frame.f_code.co_filename, frame.f_lineno, library)
    return Site("<unknown>", 0, library)


@final
class Fallthrough:
    """The type of `fallthrough`, the kernel that is never called."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "fallthrough"

    def __reduce__(self) -> str:
        return "fallthrough"

    def __call__(self, /, *args: object, **kwargs: object) -> None:
        raise NotAKernelError(
            "fallthrough marks a key that dispatch passes over; it is not called"
        )


#: Registered at a key, takes this key out of the operator's key sets.
fallthrough: Final = Fallthrough()


@final
class WithKeySet:
    """A kernel that takes the key set of the call as its first argument."""

    __slots__ = ("function",)

    #: The kernel.
    function: Final[AnyFunction]

    def __init__(self, function: AnyFunction) -> None:
        self.function = function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"with_keyset({self.function!r})"


def with_keyset(function: Any) -> WithKeySet:
    """Mark a kernel as one that takes the key set of the call before its arguments.

    The kernel usually goes on with ``op.redispatch(keyset.below(key), ...)``.

    Raises NotAKernelError for what cannot be called.
    """
    is_key = isinstance(function, KeyEnum)
    if not is_key:
        check_function(function, "what with_keyset marks")
    return WithKeySet(function)


@final
class Kernel:
    """A registered kernel: a function, a reference to one, a key or a fallthrough."""

    __slots__ = (
        "function",
        "reference",
        "key",
        "site",
        "with_keyset",
        "mixed",
        "records",
        "_made_for",
    )

    #: The function; None until a reference is imported. A dispatch key means that
    #: the operator's native side runs its own kernel of that key.
    function: Any
    #: ``module:attribute`` for a kernel named in YAML, or for the function that makes
    #: it; else None.
    reference: Final[str | None]
    #: The runtime or alias key it is registered at.
    key: Final[str]
    #: Where it was registered.
    site: Final[Site]
    #: Whether it takes the key set of the call as its first argument.
    with_keyset: bool
    #: Whether it takes arrays of several libraries in one call.
    mixed: Final[bool]
    #: Whether it records gradients, and has nothing to do for arrays without any.
    records: Final[bool]

    def __init__(
        self,
        function: Any,
        key: str,
        site: Site,
        *,
        reference: str | None = None,
        mixed: bool = False,
        records: bool = False,
        made_for: Any = None,
    ) -> None:
        """Make a kernel; with ``made_for`` its reference is a function that makes it.

        That function takes the operator, ``made_for``, and returns the kernel.
        """
        marked = isinstance(function, WithKeySet)
        self.function = function.function if marked else function
        self.reference = reference
        self.key = key
        self.site = site
        self.with_keyset = marked
        self.mixed = mixed
        self.records = records
        self._made_for: Final = made_for

    @property
    def is_fallthrough(self) -> bool:
        """Whether dispatch passes over the key."""
        return self.function is fallthrough

    def load(self, op: str) -> Any:
        """Return the function, importing it at first use.

        Raises KernelImportError where the reference leads nowhere.
        """
        if self.function is None:
            found: Any = _import(op, self)
            if self._made_for is not None:
                made = found(self._made_for)
                found = check_function(made, f"what {self.reference} makes")
            # A kernel may be marked where it is defined.
            self.with_keyset = isinstance(found, WithKeySet)
            self.function = found.function if self.with_keyset else found
        return self.function

    def __repr__(self) -> str:
        what = self.reference or getattr(self.function, "__name__", self.function)
        return f"<Kernel {what} at {self.key}, {self.site}>"


def _import(op: str, kernel: Kernel) -> Any:
    reference = kernel.reference or ""
    module, _, path = reference.partition(":")
    if not path:
        why = (
            f"no kernel module is configured for {kernel.key};"
            f" write 'module:{reference}' or name a module under [tool.keyslot.kernels]"
        )
        raise KernelImportError(op, kernel.key, reference, str(kernel.site), why)
    try:
        found: Any = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        facts = (op, kernel.key, reference, str(kernel.site), why)
        raise KernelImportError(*facts) from error
    return check_function(found, reference)


def check_function(function: object, what: str) -> AnyFunction:
    """Return ``function`` if it can be called; raise NotAKernelError otherwise."""
    if not callable(function):
        kind = type(function).__name__
        raise NotAKernelError(f"a kernel must be callable; {what} is {kind}")
    return function
