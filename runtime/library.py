"""`Library`: registration at run time.

Everything a Library registers stays until it is undone or the Library is closed,
also when nobody holds the Library any more; used as a context manager it is closed at
the end of the block.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, Self

from .define import Definition, define_overload
from .dispatcher import Dispatcher
from .errors import ClosedLibraryError, LibraryError
from .errors.registrations import SAME_LINE
from .fallbacks import add_fallback
from .kernel import Kernel, caller_site
from .kernel import with_keyset as mark_with_keyset
from .namespace import DefinedOps, find_overload, has_package
from .op import OpOverload
from .registrations import Registration, make_kernel
from .space import NamedKey, is_identifier

Key = str | NamedKey
KINDS: Final = ("DEF", "IMPL", "FRAGMENT")
#: Namespaces that mean something else to PyTorch, over which operators are exported.
RESERVED: Final = frozenset({"prim"})

#: What keeps a Library alive that nobody holds.
_open: Final[set[Library]] = set()
_owners: Final[dict[str, Library]] = {}


class Library:
    """Registers operators and kernels of a namespace until it is closed.

    ``"DEF"`` defines a namespace and its operators, and only one Library may do so;
    ``"FRAGMENT"`` adds operators to any namespace; ``"IMPL"`` only adds kernels. Every
    method that registers returns its undo.

    Raises LibraryError for a namespace that cannot be had or an unknown kind.
    """

    #: The dispatcher of the key space; each space has a Library of its own.
    dispatcher: ClassVar[Dispatcher]

    def __init__(self, namespace: str, kind: str = "FRAGMENT") -> None:
        #: The namespace.
        self.namespace: Final = namespace
        #: ``DEF``, ``IMPL`` or ``FRAGMENT``.
        self.kind: Final = kind
        self._registrations: dict[Registration, None] = {}
        self._definitions: dict[Registration, None] = {}
        self._closed = False
        #: Where the Library was made.
        self.site: Final = caller_site(f"Library({namespace!r}, {kind!r})")
        self._check()
        _open.add(self)
        if kind == "DEF":
            _owners[namespace] = self

    @property
    def ops(self) -> DefinedOps:
        """The operators of the namespace, as attributes."""
        return DefinedOps(self.namespace)

    def define(
        self, schema: str, *, doc: str = "", tags: str | Iterable[str] = ()
    ) -> Registration:
        """Define an overload by its schema, ``"mul.Tensor(Tensor a, ...) -> Tensor"``.

        The operator is the ``op`` of what is returned, and an attribute of ``ops``.
        ``tags`` is one tag or several; with ``"pointwise"`` Python numbers may stand
        for arrays in a call.

        Raises SchemaError, LibraryError for what is no tag, or DuplicateOperatorError
        naming both sites.
        """
        self._check_open()
        if self.kind == "IMPL":
            raise LibraryError(
                f"{self} may only register kernels; make a 'FRAGMENT' Library to define"
            )
        definition = Definition(schema, doc, tags, caller_site(str(self)))
        made = define_overload(self.dispatcher, self.namespace, definition)
        return self._keep(made, self._definitions)

    def impl(
        self,
        op: str | OpOverload,
        function: Any,
        key: Key,
        *,
        with_keyset: bool = False,
        override: bool = False,
        mixed: bool = False,
    ) -> Registration:
        """Register a kernel of an overload at a runtime or alias key.

        ``function`` is anything that can be called, ``fallthrough``, or a dispatch key,
        whose kernel the operator's native side then runs. With ``with_keyset`` it gets
        the key set of the call first. ``override`` puts it on top of a kernel that is
        there, ``mixed`` lets calls reach it with arrays of several libraries.

        Raises UnknownOperatorError, UnknownKeyError, NotAKernelError, or
        DuplicateKernelError naming both sites; then nothing has changed.
        """
        return self._register(op, function, key, with_keyset, override, mixed, False)

    def py_impl(
        self,
        op: str | OpOverload,
        function: Any,
        key: Key,
        *,
        with_keyset: bool = False,
        override: bool = False,
        mixed: bool = False,
    ) -> Registration:
        """Register a kernel for the Python dispatcher alone; as `impl` otherwise."""
        return self._register(op, function, key, with_keyset, override, mixed, True)

    def fallback(
        self,
        function: Any,
        key: Key,
        *,
        with_keyset: bool = False,
        override: bool = False,
        mixed: bool = False,
    ) -> Registration:
        """Register the backend fallback of a runtime key, for all operators.

        It is called as ``function(op, *args, **kwargs)`` for operators that have no
        kernel at the key, with the key set first if ``with_keyset``. Fallbacks that
        are built into the key space are replaced without ``override``.

        Raises UnknownKeyError, NotAKernelError, or DuplicateKernelError.
        """
        self._check_open()
        dispatcher = self.dispatcher
        name = dispatcher.space.check(dispatcher.backends.key(key))
        kernel = self._kernel(function, name, with_keyset, mixed)
        made = add_fallback(dispatcher, kernel, override)
        return self._keep(made, self._registrations)

    def close(self) -> None:
        """Undo everything that was registered here, the latest first.

        The operators go before their kernels: a call meanwhile finds either both or
        that the operator is gone.
        """
        self._closed = True
        for registration in reversed([*self._registrations, *self._definitions]):
            registration()
        _open.discard(self)
        if _owners.get(self.namespace) is self:
            del _owners[self.namespace]

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __str__(self) -> str:
        return f"Library({self.namespace!r}, {self.kind!r})"

    def __repr__(self) -> str:
        return f"<{'closed ' if self._closed else ''}{self} from {self.site}>"

    def _register(
        self,
        op: str | OpOverload,
        function: Any,
        key: Key,
        with_keyset: bool,
        override: bool,
        mixed: bool,
        python: bool,
    ) -> Registration:
        self._check_open()
        overload = self._overload(op)
        name = self.dispatcher.backends.key(key)
        kernel = self._kernel(function, name, with_keyset, mixed)
        made = overload.register(kernel, python=python, override=override)
        return self._keep(made, self._registrations)

    def _kernel(
        self, function: Any, key: str, with_keyset: bool, mixed: bool
    ) -> Kernel:
        marked = mark_with_keyset(function) if with_keyset else function
        return make_kernel(marked, key, caller_site(str(self)), mixed)

    def _overload(self, op: str | OpOverload) -> OpOverload:
        if not isinstance(op, str):
            self.dispatcher.check_overload(op, "an overload or its name")
            return op
        namespace, _, name = op.rpartition("::")
        if namespace and namespace != self.namespace:
            raise LibraryError(f"{self} cannot register for {op}, which is elsewhere")
        return find_overload(self.namespace, name)

    def _keep(
        self, registration: Registration, holder: dict[Registration, None]
    ) -> Registration:
        registration.keep_in(holder)
        if self._closed:  # by another thread, meanwhile
            registration()
            self._check_open()
        return registration

    def _check(self) -> None:
        if self.kind not in KINDS:
            raise LibraryError(
                f"a Library is one of {', '.join(KINDS)}, not {self.kind!r}"
            )
        if not is_identifier(self.namespace):
            raise LibraryError(f"a namespace is an identifier, not {self.namespace!r}")
        if self.namespace in RESERVED:
            raise LibraryError(f"the namespace {self.namespace!r} is reserved")
        if self.kind != "DEF":
            return
        owner = _owners.get(self.namespace)
        where = str(owner.site) if owner else has_package(self.namespace)
        if where:
            same = f"; {SAME_LINE}" if where == str(self.site) else ""
            raise LibraryError(
                f"the namespace {self.namespace!r} is defined already, by"
                f" {where}{same}; make a 'FRAGMENT' Library to add to it"
            )

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedLibraryError(str(self))
