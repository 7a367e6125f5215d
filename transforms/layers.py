"""Layers: the transforms that are being run, one inside the other.

A transform that runs puts a layer on the stack of its thread, and wraps its arguments
in Tensors of the level of this layer. Every call with such a Tensor comes to the front
key before any other. It goes to the innermost layer that has a say, which takes the
arrays out of its Tensors and calls the operator again one layer further out, where the
same happens once more. A kernel that calls on below its key instead comes out at the
back key, and from there one layer further out as well.

Levels are numbers that are used once: a Tensor whose level is on no stack has escaped
from its transform.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, cast

from ..generated.keys import DISPATCHER, SPACE
from ..runtime.errors import EscapedTensorError
from ..runtime.guards import Guard
from ..runtime.kernel import with_keyset
from ..runtime.keyset import KeySet
from .tensor import Tensor

if TYPE_CHECKING:
    from ..runtime.op import OpOverload
    from ..runtime.state import State, Switches
    from ..runtime.table import DispatchTable

T = TypeVar("T")
_STATE: Final = DISPATCHER.state
#: The level of the first layer that is run; all others have higher ones.
FIRST_LEVEL: Final = 1
_LEVELS: Final = count(FIRST_LEVEL)
#: Bits of the keys of all Tensors of a layer.
LAYER_BITS: Final = SPACE.bits(("DynamicLayerFrontMode", "DynamicLayerBackMode"))


class Findings(Generic[T]):
    """What layers of one kind have found for each operator, kept while it is right.

    It depends on the operator's table, on what guards switch, and on a key or the like.
    """

    __slots__ = ("_find", "_held")

    def __init__(
        self, find: Callable[[OpOverload, DispatchTable, State, int], T]
    ) -> None:
        self._find: Final = find
        self._held: Final[dict[Any, tuple[DispatchTable, T]]] = {}

    def get(self, op: OpOverload, state: State, bits: int = 0) -> T:
        """Return what there is for a call of an operator."""
        setting = state.setting
        table = op.table_for(setting)
        held = self._held.get((op, setting, bits))
        if held is not None and held[0] is table:
            return held[1]
        found = self._find(op, table, state, bits)
        if setting.lasting:
            self._held[op, setting, bits] = (table, found)
        return found


class Layer:
    """A transform that is being run; each kind is a subclass."""

    #: What messages call it.
    name: ClassVar[str]

    def __init__(self) -> None:
        #: The level of its Tensors, higher than that of every layer outside it.
        self.level: Final = next(_LEVELS)
        #: Bits of the keys that it adds to all calls.
        self.stacked_bits: Final = LAYER_BITS

    @property
    def guard(self) -> Guard:
        """A guard under which it is the innermost layer."""
        # Made when it is used: one that were kept would be in a cycle with the layer.
        return DISPATCHER.push_layer(self)

    def __repr__(self) -> str:
        return f"<{self.name} at level {self.level}>"

    def entered(self, switches: Switches) -> Switches:
        """Return what guards switch where this layer begins."""
        return switches

    def left(self, switches: Switches) -> Switches:
        """Return what they switch one layer further out."""
        return switches

    def call(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Do what an operator means in this layer.

        ``bits`` are those of the call, ``state`` is that of the thread. Some argument
        is a Tensor of this level.
        """
        raise NotImplementedError

    def call_foreign(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Do what an operator means where no argument is a Tensor of its level."""
        return outside(state, op, args, kwargs)

    def call_below(
        self,
        op: OpOverload,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Do what a kernel has called below its key: the same one layer further out."""
        level = self.level
        return outside(state, op, opened(args, level), opened(kwargs, level))

    @contextmanager
    def running(self) -> Generator[None]:
        """Return a context in which this is the innermost layer."""
        with self.guard:
            yield


def outside(
    state: State, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> Any:
    """Call a function one layer further out than ``state``."""
    token = _STATE.set(state.below_layer or DISPATCHER.below_layer(state))
    try:
        return function(*args, **kwargs)
    finally:
        _STATE.reset(token)


def outside_of(level: int, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function outside the layer of a level, if that is being run."""
    state = _STATE.get()
    while state.layers and state.layers[-1].level >= level:
        state = state.below_layer or DISPATCHER.below_layer(state)
    token = _STATE.set(state)
    try:
        return function(*args)
    finally:
        _STATE.reset(token)


@with_keyset
def front(keyset: KeySet[Any], op: OpOverload, /, *args: Any, **kwargs: Any) -> Any:
    """Hand a call to the innermost layer that has a say: the kernel at the front key.

    Raises EscapedTensorError for a Tensor of a layer that is on no stack.
    """
    state = _STATE.get()
    level = level_of(args, kwargs)
    layers = state.layers
    if layers and layers[-1].level == level:
        return layers[-1].call(op, keyset.bits, state, args, kwargs)
    if not (layers or level):
        # No transform is being run: a guard has included the key.
        return op.redispatch(keyset.below("DynamicLayerFrontMode"), *args, **kwargs)
    if not layers or level > layers[-1].level:
        raise EscapedTensorError(op.name)
    return layers[-1].call_foreign(op, keyset.bits, state, args, kwargs)


@with_keyset
def back(keyset: KeySet[Any], op: OpOverload, /, *args: Any, **kwargs: Any) -> Any:
    """Go on one layer further out, below a kernel that has called on.

    Raises EscapedTensorError for a Tensor of a layer that is on no stack.
    """
    state = _STATE.get()
    if not state.layers:
        if level_of(args, kwargs):
            raise EscapedTensorError(op.name)
        return op.redispatch(keyset.below("DynamicLayerBackMode"), *args, **kwargs)
    return state.layers[-1].call_below(op, state, args, kwargs)


def level_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """Return the highest level among the Tensors of a call, 0 without any."""
    level = 0
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Tensor):
            if value.level > level:
                level = value.level
        elif type(value) in (list, tuple):
            level = max(level, level_of(tuple(value), {}))
    return level


def opened(value: Any, level: int) -> Any:
    """Return a value with the Tensors of a level opened, in lists and dicts too."""
    if isinstance(value, Tensor):
        return value.value if value.level == level else value
    if type(value) in (list, tuple):
        return type(value)(opened(item, level) for item in value)
    if type(value) is dict:
        named = cast("dict[str, Any]", value)
        return {key: opened(item, level) for key, item in named.items()}
    return value
