"""`OpOverload`: one operator overload, its tables and its handlers.

Every overload has a generated class of its own, and one instance. The per-space
subclass in ``generated/keys.py`` adds one slot for each runtime key. An empty slot
reaches ``__getattr__``, which resolves the key, stores the handler and returns it; the
next read is a plain attribute read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from .calls import GeneralCalls, complete
from .direct import decompose, kernel_for, load_at, load_highest
from .errors import KeySetTypeError
from .handlers import argument_facts, make_handler
from .keyed_dispatch import bits_of_call, carried_bits
from .keyset import KeySet
from .nearest import nearest
from .op_registration import RegisteredOverload
from .op_tables import OpTables, declared_kernels
from .space import NamedKey
from .table import Change

if TYPE_CHECKING:
    from inspect import Signature

    from .cells import TableView
    from .errors import ArgumentFact
    from .explain import Explanation
    from .kernel import Kernel
    from .state import Setting

Key = str | NamedKey


class Cache(Protocol):
    """Something that holds handlers of operators."""

    def invalidate(self, op: Any, change: Change, /) -> None:
        """Drop the handlers of an operator that a change of its tables concerns."""
        ...

    def clear(self) -> None:
        """Drop everything."""
        ...


class _DocOfInstance:
    """The docstring of an overload, written at its class.

    ``help`` takes a docstring that class and instance share for that of the class.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, op: object, owner: type) -> str | None:
        return f"The class of {owner.__name__}." if op is None else self._text


class OpOverload(RegisteredOverload):
    """One overload of an operator.

    Calling it dispatches on the types of its arguments. ``getattr(op, "NumPy")``
    loads the handler of a runtime key: a function, or a dispatch key where the
    operator's native side has the kernel.
    """

    __slots__ = (
        "caches",
        "direct",
        "_calls",
        "__weakref__",
    )

    #: The handlers of calls; generated code also has it as a global of its module. It
    #: is a `HandlerCache`, but for operators with a native side.
    cache: ClassVar[Any]
    #: Every cache that may hold a handler of this operator.
    caches: list[Cache]
    #: The handlers of `redispatch` and `at`, by setting and keys.
    direct: dict[tuple[Setting, Any], Callable[..., Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "dispatcher" in cls.__dict__:
            cls.dispatcher.overload_type = cls
        if "schema_text" in cls.__dict__:
            cls.__doc__ = _DocOfInstance(cls.__doc__)  # type: ignore[assignment]  # a descriptor, which gives the text

    def __init__(self) -> None:
        super().__init__()
        self.caches = []
        self.cache.attach(self.name, (self,), self.dispatcher)
        self.tables = OpTables(self)
        self.direct = {}
        self._calls: GeneralCalls | None = None
        self.dispatcher.ops.add(self)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.calls.call(args, kwargs)

    # Hidden from type checkers: stubs declare overloads as attributes of classes, which
    # they would bind.
    if not TYPE_CHECKING:

        def __get__(self, instance: object, owner: object = None) -> Any:
            """Bind like a function. By this, `help` and `inspect` know it for one."""
            return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        # Reached for an empty slot, and for names that do not exist.
        space = self.dispatcher.space
        if name in space.keys:
            return self._load_slot(name, space.index(name))
        if name == "__qualname__":
            return self.qualified_name
        if name == "__signature__":
            return _signature(self)
        if not name.startswith("_"):
            key = self.dispatcher.backends.renamed(name)
            if key is not None:
                return getattr(self, key)
        raise AttributeError(
            f"{self.name} has no attribute {name!r}.{_hint(self, name)}",
            name=name,
            obj=self,
        )

    def _repr_html_(self) -> str:
        from .notebook import overload_html

        return overload_html(self)

    def _load_slot(self, key: str, index: int) -> Any:
        return self.dispatcher.settle(
            lambda: make_handler(self, self.python_table, index),
            lambda handler: setattr(self, key, handler),
        )

    @property
    def calls(self) -> GeneralCalls:
        """The caches of calls in other forms than that of the signature."""
        if self._calls is None:
            self._calls = GeneralCalls(self.name, (self,))
        return self._calls

    def argument_facts(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ArgumentFact, ...]:
        """Return what dispatch sees of the arguments of a call, for messages."""
        return argument_facts(self, args, kwargs)

    def ordinary_kernels(self) -> Mapping[str, Kernel]:
        """Return the kernels of ordinary dispatch before anybody registers more."""
        return declared_kernels(self)

    @property
    def table(self) -> TableView:
        """The dispatch table for people: prints every key, its kernel and why."""
        from .cells import TableView

        return TableView(self)

    def redispatch(self, keyset: KeySet[Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel of the highest key of ``keyset`` with these arguments.

        A kernel goes on below its own key with ``keyset.below(key)``. Fallthrough keys
        are passed over. Nothing is added: neither included keys nor the key that the
        caller runs at. Under the Python dispatcher its kernels are reached here too.

        Raises KeySetTypeError for anything but a key set of the same space, and the
        errors of a call.
        """
        dispatcher = self.dispatcher
        if type(keyset) is not dispatcher.keyset_type:
            raise KeySetTypeError(self.name, type(keyset).__name__)
        setting = dispatcher.state.get().setting
        handler = self.direct.get((setting, keyset.bits))
        if handler is None:
            handler = load_highest(self, setting, keyset)
        if (len(args), len(kwargs)) != self.cache.arity:
            args, kwargs = complete(self, args, kwargs)
        return handler(*args, **kwargs)

    def at(self, key: Key, /, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel at one runtime key, or else the backend fallback there.

        Raises NoKernelError where there is neither, FallthroughError for a key that
        dispatch passes over.
        """
        setting = self.dispatcher.state.get().setting
        handler = self.direct.get((setting, (key,)))
        if handler is None:
            handler = load_at(self, setting, key)
        args, kwargs = complete(self, args, kwargs)
        return handler(*args, **kwargs)

    def decompose(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the CompositeImplicitAutograd kernel, NotImplemented if there is none.

        A Python kernel comes before an ordinary one, whatever the state.
        """
        return decompose(self, args, kwargs)

    def keys_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> KeySet[Any]:
        """Return the key set that a call with these arguments has in this state."""
        route = self.calls.route(args, kwargs)
        setting = self.dispatcher.state.get().setting
        bits = setting.keys(route.bits)
        if route.is_keyed:
            carried = carried_bits(route, (*args, *kwargs.values()))
            bits = bits_of_call(route, setting, carried)
        return self.dispatcher.keyset_type.from_bits(bits)

    def kernel_for(self, *types: type) -> Callable[..., Any]:
        """Return the kernel that a call with arguments of these types reaches.

        A loop or compiled code may call it with all the schema's arguments and pay
        nothing for dispatch. Arguments left away have their defaults. Calls of it are
        those of a plain function: no state and no guard sees them, `check_kernels` and
        `dispatch_trace` neither.

        Raises KernelForError where no single function is called with the arguments as
        they are, and the errors of a call.
        """
        return kernel_for(self, types)

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Return the whole decision for one call, without making the call."""
        from .explain import explain_call

        return explain_call(self.calls, args, kwargs)

    def run_native(self, key: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel that the operator's native side has at a key.

        Raises NotImplementedError: plain operators have no native side. Classes of
        operators that have one override this.
        """
        raise NotImplementedError(f"{self.name} has no native side to run {key} on")

    def empty_slot(self, key: str) -> None:
        """Forget the handler of a runtime key; the next load resolves it again."""
        with suppress(AttributeError):  # it was not loaded
            delattr(self, key)

    def remove(self, library: str) -> None:
        """End the operator with the Library that defined it; the lock must be held."""
        self.tables.close(library)
        self.dispatcher.ops.discard(self)
        for key in self.dispatcher.space.keys:
            self.empty_slot(key)
        self.forget_types()

    def forget_types(self) -> None:
        """Forget what types mean: one has been registered, or an overload added."""
        # A copy: other threads make caches without the lock.
        for cache in tuple(self.caches):
            cache.clear()


def _hint(op: OpOverload, name: str) -> str:
    if name.startswith("_"):
        # Tools ask for such names, and expect a quick answer.
        return ""
    public = [known for known in dir(type(op)) if not known.startswith("_")]
    return nearest(name, public)


def _signature(op: OpOverload) -> Signature:
    from .signatures import signature

    return signature(op.schema)
