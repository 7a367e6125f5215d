"""Handlers: what dispatch calls at a key once the table has been asked.

A handler is the kernel itself wherever possible. The exceptions are small objects:
a kernel that wants the key set, a fallback that wants the operator, an empty cell
that has to explain itself, and a dispatch key, which stands for the kernel that the
operator's native side has at this key.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from .errors import (
    AmbiguousAutogradOtherError,
    ArgumentFact,
    CallFacts,
    DispatchError,
    FallthroughError,
    MixedBackendsError,
    NoKernelError,
)
from .keys import KeyEnum
from .space import UNDEFINED

if TYPE_CHECKING:
    from .op import OpOverload
    from .route import Route
    from .state import Setting
    from .table import DispatchTable

Function = Callable[..., Any]


@final
class KeySetHandler:
    """A kernel that takes the key set of the call before its arguments."""

    __slots__ = ("function", "_op", "_index")

    def __init__(self, function: Function, op: OpOverload, index: int) -> None:
        #: The kernel, to be called with the key set first.
        self.function: Final = function
        self._op: Final = op
        self._index: Final = index

    def __repr__(self) -> str:
        return f"<{self.function!r} with the key set of each call>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        # Loaded by hand and called without a key set: it gets what the arguments
        # and the state give at this key.
        op = self._op
        here_and_below = (1 << self._index) - 1
        bits = op.keys_of(args, kwargs).bits & here_and_below
        return self.bind(bits)(*args, **kwargs)

    def bind(self, bits: int) -> Function:
        """Return the kernel for calls with this key set."""
        return partial(self.function, self._op.dispatcher.keyset_type.from_bits(bits))


@final
class Refusal:
    """The handler of a cell without a kernel: calling it explains why."""

    __slots__ = ("op", "key", "kind")

    def __init__(self, op: OpOverload, key: str, kind: str) -> None:
        self.op: Final = op
        self.key: Final = key
        self.kind: Final = kind

    def __repr__(self) -> str:
        return f"<no kernel of {self.op.name} at {self.key}: {self.kind}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse(self.op.keys_of(args, kwargs).bits, *args, **kwargs)

    def bind(self, bits: int) -> Function:
        """Return the refusal of calls with this key set."""
        return partial(self._refuse, bits)

    def _refuse(self, bits: int, /, *args: Any, **kwargs: Any) -> NoReturn:
        setting = self.op.dispatcher.state.get().setting
        raise self.error(setting, bits, self.op.argument_facts(args, kwargs))

    def error(
        self, setting: Setting, bits: int, arguments: tuple[ArgumentFact, ...]
    ) -> DispatchError:
        """Return the error of a call with these keys and arguments."""
        made, hint = _REFUSALS[self.kind]
        if self.kind == "missing":
            hint = self.op.how_to_register
        if self.key == UNDEFINED:
            hint = _NO_KEY_IS_LEFT
        if off := setting.disabled_keys(self.op):
            hint = _DISABLED.format(keys=", ".join(sorted(off)))
        facts = call_facts(self.op, setting, bits, self.key, arguments)
        names = {"namespace": self.op.namespace, "op": self.op.qualified_name}
        return made(facts, hint.format(key=self.key, **names))


_REFUSALS: Final[dict[str, tuple[type[DispatchError], str]]] = {
    # What to do depends on who registers kernels of the operator.
    "missing": (NoKernelError, ""),
    "ambiguous": (
        AmbiguousAutogradOtherError,
        "register a kernel of {op} at {key} itself, or make the composite explicit",
    ),
    "fallthrough": (
        FallthroughError,
        "call at another key, or redispatch with keyset.below('{key}')",
    ),
}


_NO_KEY_IS_LEFT: Final = (
    "no key is left, all are passed over or taken away: register a kernel at one of"
    " them, or at '{key}' for calls like this"
)


_DISABLED: Final = (
    "leave the block of disable_kernel, which takes away what is registered at {keys}"
)


def make_handler(op: OpOverload, table: DispatchTable, index: int) -> Any:
    """Return the handler of a cell, importing its kernel if need be.

    Raises KernelImportError where a declared kernel cannot be imported.
    """
    cell = table.cells[index]
    kernel = table.kernel(index)
    if kernel is None or cell.kind not in ("kernel", "fallback"):
        return Refusal(op, op.dispatcher.space.keys[index], cell.kind)
    function = kernel.load(op.name)
    if isinstance(function, KeyEnum):
        return function
    if cell.kind == "fallback":
        if kernel.with_keyset:
            return KeySetHandler(_fallback_with_keys(function, op), op, index)
        return partial(function, op)
    return KeySetHandler(function, op, index) if kernel.with_keyset else function


def ordinary_handler(op: OpOverload, table: DispatchTable, index: int) -> Any:
    """Return the cached handler of a cell of the ordinary table."""
    handler = table.handlers[index]
    if handler is None:
        handler = table.handlers[index] = make_handler(op, table, index)
    return handler


def select(
    op: OpOverload, setting: Setting, bits: int, plain: bool = False
) -> tuple[int, Any]:
    """Return the place of the highest key and the handler there.

    ``plain`` says that no argument has keys of its own, gradients to record for one.

    Under the Python dispatcher this is dispatch in two steps: its own key is off the
    set, and the handler of the highest key left is loaded as an attribute of the
    operator, where its Python kernels and its ordinary ones come together.
    """
    table = op.table_for(setting)
    index = table.usable(bits, bits if plain else 0).bit_length()
    return index, load_handler(op, setting, table, index)


def load_handler(
    op: OpOverload, setting: Setting, table: DispatchTable, index: int
) -> Any:
    """Return the handler of one place in the table of a setting."""
    if setting.disabled:
        # Slots and tables keep the handlers of calls that have all kernels.
        return make_handler(op, table, index)
    if setting.python:
        return getattr(op, op.dispatcher.space.keys[index])
    return ordinary_handler(op, table, index)


def reach(route: Route, setting: Setting, bits: int) -> tuple[int, Any]:
    """Return the place of the highest key of a call and the handler there.

    Raises a DispatchError where there is none, and MixedBackendsError where it does
    not take the arrays.
    """
    op = route.op
    index, handler = select(op, setting, bits, plain=not route.is_keyed)
    if is_mixed(route, bits) and not op.takes_mixed(setting, index):
        raise mixed_backends_error(route, bits)
    if isinstance(handler, Refusal):
        plain = 0 if route.is_keyed else bits
        left = op.table_for(setting).usable(bits, plain)
        raise handler.error(setting, left, route.brought.facts)
    return index, handler


def is_mixed(route: Route, bits: int) -> bool:
    """Whether there are arrays of several libraries in a call with these bits."""
    if route.is_keyed:
        return len(route.op.dispatcher.backends_of(bits)) > 1
    return len(route.brought.backends) > 1


def mixed_backends_error(route: Route, bits: int = 0) -> MixedBackendsError:
    """Return the error of a call whose kernel does not take arrays of two libraries.

    ``bits`` are those of the call.
    """
    arrays = dict(route.brought.backends)
    if route.is_keyed:
        for backend in route.op.dispatcher.backends_of(bits):
            arrays.setdefault(backend, list(route.brought.keyed))
    listed = tuple(
        (backend, ", ".join(names)) for backend, names in sorted(arrays.items())
    )
    return MixedBackendsError(route.op.name, route.op.schema_text, listed)


def checked(op: OpOverload, setting: Setting, index: int, function: Function) -> Any:
    """Return a kernel so that it is held to its schema, if the setting says so."""
    if not setting.checking:
        return function
    # Not above: whoever checks nothing loads nothing for it.
    from .kernel_checks import checked_kernel

    return checked_kernel(op, setting, index, function)


def ready(op: OpOverload, handler: Any, bits: int) -> Any:
    """Return a handler as something to call with the kernel's arguments.

    A Refusal stays one: whoever calls knows best what to say about the arguments.
    """
    if type(handler) is KeySetHandler:
        return handler.bind(bits)
    if isinstance(handler, KeyEnum):
        return partial(op.run_native, handler)
    return handler


def _fallback_with_keys(function: Function, op: OpOverload) -> Function:
    def fallback(keyset: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(keyset, op, *args, **kwargs)

    return fallback


def call_facts(
    op: OpOverload,
    setting: Setting,
    bits: int,
    key: str,
    arguments: tuple[ArgumentFact, ...],
) -> CallFacts:
    """Collect what a failed dispatch has to say."""
    dispatcher = op.dispatcher
    table = op.table_for(setting)
    kernels = sorted(f"{k.key}, from {k.site}" for k in table.kernels.values())
    return CallFacts(
        op.name,
        op.schema_text,
        arguments,
        *dispatcher.state_keys(setting),
        dispatcher.key_names(bits & table.mask),
        key,
        tuple(kernels),
    )


def argument_facts(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[ArgumentFact, ...]:
    """Return what dispatch sees of arguments that were passed along a redispatch."""
    from .given import describe
    from .route import argument_fact

    names = [argument.name for argument in op.schema.positional]
    named = [*zip(names, args, strict=False), *kwargs.items()]
    arrays = op.dispatcher.arrays
    return tuple(
        argument_fact(name, describe(arrays, value), arrays) for name, value in named
    )
