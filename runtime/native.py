"""Operators with a native side: a library that dispatches by itself, as PyTorch does.

With the Python dispatcher off, a call goes straight to the native side, which does as
if keyslot were not there. With it on, a call reads the key set off its arguments and
the thread's state, takes the highest key, and loads the handler: a Python kernel, or a
key, and then the native kernel of that key is called with no Python in between.
"""

# Class variables that are set once, in generated code, may have narrower types here:
# pyright: reportIncompatibleVariableOverride=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self

from .cells import places
from .errors import KernelForError, KeySetTypeError, NativeOperatorError
from .handlers import KeySetHandler, Refusal
from .keys import KeyEnum
from .keyset import KeySet
from .native_values import in_native_form
from .op import Key, OpOverload
from .recursion import watch
from .resolver import IMPLICIT

if TYPE_CHECKING:
    from .errors import ArgumentFact
    from .explain import Explanation
    from .kernel import Kernel
    from .native_cache import NativeCache
    from .native_dispatcher import NativeDispatcher
    from .native_side import NativeOperator
    from .registrations import Registration

Handler = Callable[..., Any]


class NativeOverload(OpOverload):
    """One overload of an operator that a library dispatches too.

    Python kernels are registered with `py_impl`; ordinary ones are the library's own,
    and are registered with it.
    """

    __slots__ = ("_filled", "_native")

    dispatcher: ClassVar[NativeDispatcher]
    cache: ClassVar[NativeCache]
    kernels: ClassVar[Mapping[str, str]] = {}
    how_to_register: ClassVar[str] = (
        "register one with the library that dispatches the operator, or one for the"
        " Python dispatcher: {op} has py_impl('{key}')"
    )

    def __new__(cls) -> Self:
        """Return the overload, which is one even where several packages have it.

        What is registered by way of one package is so for the others, as the library
        asks for its Python kernels in one place.
        """
        there: Any = cls.dispatcher.overloads.get((cls.namespace, cls.schema_text))
        return super().__new__(cls) if there is None else there

    def __init__(self) -> None:
        super().__init__()
        self._native: NativeOperator | None = None
        #: The keys whose slots hold a handler.
        self._filled: Final[set[str]] = set()
        # When all is there: another thread may find it from now on.
        self.dispatcher.overloads[self.namespace, self.schema_text] = self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self.dispatcher.active:
            arrays = self.arrays(args, kwargs).values()
            return self.cache.handler(*arrays)(*args, **kwargs)
        return self.cache.call(*args, **kwargs)

    @property
    def native(self) -> NativeOperator:
        """The overload as the native side has it.

        Raises NativeOperatorError where the library has no such operator.
        """
        if self._native is None:
            self._native = self.dispatcher.side.operator(self)
        return self._native

    def ordinary_kernels(self) -> Mapping[str, Kernel]:
        """Return the kernels that are registered on the native side."""
        self.dispatcher.note_reading(self)
        return self.native.kernels()

    def underlying_python_kernels(self) -> Mapping[str, Kernel]:
        """Return the Python kernels of the native side, which ours come before."""
        return self.native.python_kernels()

    def forget(self) -> None:
        """Forget tables and handlers: the library has other kernels now.

        The lock must be held.
        """
        self.tables.forget()
        for key in tuple(self._filled):
            self.empty_slot(key)
        self._filled.clear()
        self.cache.clear()
        self.native.forget()

    def _load_slot(self, key: str, index: int) -> Any:
        # Noted beforehand: what is filled in without the note would stay for ever.
        self._filled.add(key)
        return super()._load_slot(key, index)

    def handler_of(self, word: int) -> tuple[Handler, bool]:
        """Return what a call with a key set reaches, and whether that lasts.

        It lasts until a registration changes the tables.
        """
        bits = self.dispatcher.side.bits(word)
        if not bits & ~self.dispatcher.dispatch_bits:
            # Somebody's guard is on, but the Python dispatcher is not: not here.
            return self.native.call, True
        bits &= self.dispatcher.dispatch_bits
        below = bits & self.python_table.mask
        place = below.bit_length()
        key = self.dispatcher.space.keys[place]
        deferred = self.native.deferred(key)
        if deferred is not None:
            return deferred, False
        loaded = getattr(self, key)
        if isinstance(loaded, Refusal):
            return self._refuse_natively, True
        native = self._natively(below)
        return native or self._ready(loaded, place, bits & (1 << place) - 1), True

    def redispatch(self, keyset: KeySet[Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel of the highest key of ``keyset`` with these arguments.

        As for other operators. The native kernel of a key works out for itself what
        comes below it, and does not know that ``keyset`` may have less.
        """
        dispatcher = self.dispatcher
        if type(keyset) is not dispatcher.keyset_type:
            raise KeySetTypeError(self.name, type(keyset).__name__)
        table = self.python_table if dispatcher.is_python_on else self.dispatch_table
        bits = keyset.bits & dispatcher.dispatch_bits & table.mask
        return self._at(bits.bit_length(), bits)(*args, **kwargs)

    def at(self, key: Key, /, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel at one runtime key, or else the backend fallback there.

        Raises NoKernelError where there is neither, FallthroughError for a key that
        dispatch passes over.
        """
        place = self.dispatcher.space.index(self.dispatcher.backends.key(key))
        return self._at(place, (1 << place) - 1)(*args, **kwargs)

    def decompose(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the CompositeImplicitAutograd kernel, NotImplemented if there is none.

        A Python kernel comes before the native one, whatever the state.
        """
        kernel = self.python_table.kernels.get(IMPLICIT)
        if kernel is None or kernel.is_fallthrough:
            return NotImplemented
        loaded = kernel.load(self.name)
        if kernel.with_keyset:
            return loaded(self.keys_of(args, kwargs), *args, **kwargs)
        return self._function(loaded)(*args, **kwargs)

    def watched(self, key: str) -> Any:
        """Return the handler at a key for the native side to call.

        It is a dispatch key, or a kernel whose recursion is told.
        """
        loaded = getattr(self, key)
        return loaded if isinstance(loaded, KeyEnum) else watch(self, key, loaded)

    def keys_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> KeySet[Any]:
        """Return the key set that a call with these arguments has in this thread."""
        word = self.dispatcher.word(tuple(self.arrays(args, kwargs).values()))
        bits = self.dispatcher.side.bits(word)
        return self.dispatcher.keyset_type.from_bits(bits)

    def kernel_for(self, *types: type) -> NoReturn:
        """Raise KernelForError: the keys of native arrays do not follow from types."""
        shown = ", ".join(cls.__qualname__ for cls in types)
        raise KernelForError(self.name, self.schema_text, shown)

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Return the whole decision for one call, without making the call."""
        from .native_explain import explain_native

        return explain_native(self, args, kwargs)

    def argument_facts(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ArgumentFact, ...]:
        """Return what dispatch sees of the arguments of a call, for messages."""
        from .native_explain import facts_of_arrays

        return facts_of_arrays(self, self.arrays(args, kwargs))

    def register(
        self, kernel: Kernel, *, python: bool = False, override: bool = False
    ) -> Registration:
        """Put a Python kernel in force at its key; return the undo.

        Raises NativeOperatorError for an ordinary one: it is the library's to register.
        """
        if not python:
            raise NativeOperatorError(
                self.name,
                "its ordinary kernels are those of the library that dispatches it:"
                " register there, or use py_impl for a Python kernel",
            )
        # The native side has to know of it, too: it may come to the kernel by itself.
        _ = self.native
        made = super().register(kernel, python=True, override=override)
        # It may have cached handlers before there were tables that could change.
        self.native.forget()
        return made

    def run_native(self, key: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Run the native kernel of a key, also one that an alias key holds for it."""
        space, name = self.dispatcher.space, key.name
        if name in space.keys and (
            kernel := self.dispatch_table.kernel(space.index(name))
        ):
            name = kernel.key
        return self.native.at(name)(*args, **kwargs)

    def arrays(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call that stand where the schema says Tensor."""
        positional = self.schema.positional
        given = dict(zip((arg.name for arg in positional), args, strict=False)) | kwargs
        named = {arg.name: arg for arg in self.schema.arguments}
        return {
            name: value
            for name, value in given.items()
            if name in named and named[name].type.base.name == "Tensor"
        }

    def _natively(self, bits: int) -> Handler | None:
        """Return a call that stays on the native side, if it has all these kernels."""
        kernels = map(self.python_table.kernel, places(bits))
        if any(
            held is None or not isinstance(held.function, KeyEnum) for held in kernels
        ):
            return None
        return self.native.dispatch(self.dispatcher.key_names(bits))

    def _at(self, place: int, bits: int) -> Handler:
        key = self.dispatcher.space.keys[place]
        if not self.dispatcher.is_python_on:
            kernel = self.dispatch_table.kernel(place)
            kind = self.dispatch_table.cells[place].kind
            loaded = kernel.function if kernel else Refusal(self, key, kind)
            return self._ready(loaded, place, bits)
        return self.native.deferred(key) or self._ready(getattr(self, key), place, bits)

    def _ready(self, loaded: Any, place: int, bits: int) -> Handler:
        """Return a handler as something to call with the arguments."""
        if isinstance(loaded, (KeyEnum, Refusal)):
            return self._function(loaded)
        if isinstance(loaded, KeySetHandler):
            loaded = loaded.bind(bits)
        loaded = in_native_form(self, loaded)
        return watch(self, self.dispatcher.space.keys[place], loaded)

    def _function(self, loaded: Any) -> Handler:
        function: Handler = loaded
        return self.native.at(loaded.name) if isinstance(loaded, KeyEnum) else function

    def _refuse_natively(self, *args: Any, **kwargs: Any) -> Any:
        """Let the native side say in its own words that it has no kernel."""
        with self.dispatcher.side.python_dispatcher(enabled=False):
            return self.native.call(*args, **kwargs)
