"""Modes and array subclasses: what is called at the Python key.

A mode that is in force sees every call of its thread, and decides what the call does.
So does an array class with a method ``__keyslot_dispatch__``, of calls that have such
an array. The innermost mode is asked first, with itself taken away; where it returns
NotImplemented the next one out is, and then the classes, a subclass before its base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar

from ..generated.keys import DISPATCHER, SPACE
from ..runtime.array_types import DISPATCH_METHOD
from ..runtime.errors import DispatchRefusedError
from ..runtime.resolver import IMPLICIT
from .nested import leaves

if TYPE_CHECKING:
    from ..runtime.op import OpOverload
    from ..runtime.state import State, Switches

F = TypeVar("F", bound=Callable[..., Any])
_STATE: Final = DISPATCHER.state
_PYTHON: Final = SPACE.bit("Python")
_PRE_DISPATCH: Final = SPACE.bit("PreDispatch")


class DispatchMode:
    """A context in which every call comes to `__keyslot_dispatch__`.

    Entering one inside another makes it the innermost. While its method runs the mode
    is taken away, so a call in there goes to the next mode out. One object may be
    entered again, and by several threads.
    """

    #: Whether it sees calls as the program makes them, before gradients and batches.
    pre_dispatch: ClassVar[bool] = False
    #: Whether it sees composites at the Python key, rather than what they are made of.
    takes_composites: ClassVar[bool] = False
    _kernels: ClassVar[dict[Any, Callable[..., Any]]] = {}

    def __init_subclass__(cls) -> None:
        cls._kernels = {}

    def __init__(self) -> None:
        #: Bits of the key at which it is called.
        self.stacked_bits: int = _PRE_DISPATCH if self.pre_dispatch else _PYTHON
        self._guard: Final = DISPATCHER.push_mode(self)

    def __keyslot_dispatch__(
        self,
        op: Any,
        types: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Do what a call of an operator does, or return NotImplemented.

        ``types`` are the array classes in the call that decide for themselves. All
        arguments of the schema are there, defaults too.
        """
        return NotImplemented

    @classmethod
    def kernel(cls, op: OpOverload) -> Callable[[F], F]:
        """Return a decorator: the function is what such a mode does with an operator.

        It takes the mode and then the arguments of the call, and comes before
        `__keyslot_dispatch__`. Subclasses of the mode have it too.
        """
        DISPATCHER.check_overload(op, "an overload")

        def register(function: F) -> F:
            cls._kernels[op] = function
            return function

        return register

    def find_kernel(self, op: Any) -> Callable[..., Any] | None:
        """Return the kernel of this class of modes for an operator, if it has one."""
        for cls in type(self).__mro__:
            if found := cls.__dict__.get("_kernels", {}).get(op):
                return found  # type: ignore[no-any-return]  # its annotation is above
        return None

    def call(self, op: Any, types: tuple[type, ...], args: Any, kwargs: Any) -> Any:
        """Do what a call does in this mode."""
        kernel = self.find_kernel(op)
        if kernel is not None:
            return kernel(self, *args, **kwargs)
        return self.__keyslot_dispatch__(op, types, args, kwargs)

    def entered(self, switches: Switches) -> Switches:
        """Return what guards switch once it is the innermost mode: nothing more."""
        return switches

    def left(self, switches: Switches) -> Switches:
        """Return what they switch while it runs: nothing more."""
        return switches

    def __enter__(self) -> Self:
        self._guard.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._guard.__exit__(*exception)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def dispatch(op: OpOverload, /, *args: Any, **kwargs: Any) -> Any:
    """Ask the modes and the array classes: the kernel at the Python key.

    Raises DispatchRefusedError, a TypeError, where all of them refuse.
    """
    return _ask(op, args, kwargs, _PYTHON)


def dispatch_early(op: OpOverload, /, *args: Any, **kwargs: Any) -> Any:
    """Ask the modes that see programs as they are written."""
    return _ask(op, args, kwargs, _PRE_DISPATCH)


def _ask(op: OpOverload, args: Any, kwargs: dict[str, Any], bit: int) -> Any:
    state = _STATE.get()
    modes = state.modes
    classes = _classes_of((*args, *kwargs.values())) if bit == _PYTHON else ()
    refused: list[str] = []
    composite = bit == _PYTHON and _is_composite(op, state, args, kwargs)
    for place in range(len(modes) - 1, -1, -1):
        mode = modes[place]
        if mode.stacked_bits != bit:
            continue
        if composite and not mode.takes_composites:
            return _run_in(state, op.decompose, args, kwargs)
        # Those inside it have refused, and are not asked again.
        state = DISPATCHER.without_mode(state, place)
        result = _run_in(state, mode.call, (op, classes, args, kwargs), {})
        if result is not NotImplemented:
            return result
        refused.append(f"the mode {mode!r}")
    if composite and classes:
        return _run_in(state, op.decompose, args, kwargs)
    for cls in classes:
        result = getattr(cls, DISPATCH_METHOD)(op, classes, args, kwargs)
        if result is not NotImplemented:
            return result
        refused.append(f"the class {cls.__qualname__}")
    if refused:
        raise DispatchRefusedError(op.name, tuple(refused))
    # Nobody is there to be asked: a guard has included the key.
    keys = op.keys_of(args, kwargs)
    return op.redispatch(type(keys).from_bits(keys.bits & (bit - 1)), *args, **kwargs)


def _run_in(state: State, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    token = _STATE.set(state)
    try:
        return function(*args, **kwargs)
    finally:
        _STATE.reset(token)


def _is_composite(
    op: OpOverload, state: State, args: Any, kwargs: dict[str, Any]
) -> bool:
    """Whether an operator is made of others wherever gradients are recorded.

    Of plain arrays this has been done by now, and Tensors without gradients are treated
    in the same way.
    """
    if IMPLICIT not in op.dispatch_table.kernels:
        return False
    bits = op.keys_of(args, kwargs).bits
    cells = op.table_for(state.setting).cells
    places = [
        SPACE.index(autograd)
        for autograd, backends in SPACE.autograd_backends.items()
        if bits & SPACE.bits(backends)
    ]
    return all(cells[place].source == IMPLICIT for place in places)


def _classes_of(values: Iterable[Any]) -> tuple[type, ...]:
    """Return the array classes that decide for themselves, subclasses first."""
    found: list[type] = []
    value: object
    for value in leaves(values):
        cls = type(value)
        if cls in found or not hasattr(cls, DISPATCH_METHOD):
            continue
        bases = (n for n, other in enumerate(found) if issubclass(cls, other))
        found.insert(next(bases, len(found)), cls)
    return tuple(found)
