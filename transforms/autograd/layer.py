"""The layer of reverse mode: one for each running `grad`, `vjp` and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ...runtime.direct import load_at
from ..layers import LAYER_BITS, Findings, Layer, opened, outside
from ..tensor import AUTOGRAD, Tensor, autograd_bits, backend_bits, note_write
from .leaf import Leaf
from .unrecorded import unrecorded

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.schema import FunctionSchema
    from ...runtime.state import State, Switches
    from ...runtime.table import DispatchTable

Kernel = Callable[..., Any]


class DerivativeLayer(Layer):
    """A layer whose work is done by kernels at the autograd keys."""

    #: The kernel of each operator and autograd key, and whether it opens the Tensors of
    #: the layer itself.
    kernels: ClassVar[Findings[tuple[Kernel, bool]]]

    def __init__(self) -> None:
        super().__init__()
        self._outer_allowed = 0

    def entered(self, switches: Switches) -> Switches:
        """Record in this layer, whatever `no_grad` says to those outside it."""
        self._outer_allowed = switches.allowed & AUTOGRAD
        return switches._replace(allowed=switches.allowed | AUTOGRAD)

    def left(self, switches: Switches) -> Switches:
        """Let those outside do what they did before."""
        allowed = switches.allowed & ~AUTOGRAD | self._outer_allowed
        return switches._replace(allowed=allowed)

    def call(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call the kernel at the autograd key, or nothing but the operator itself.

        That is where `no_grad` is in force.
        """
        bits &= AUTOGRAD
        if not bits:
            return self._unrecorded(op, state, args, kwargs)
        kernel, opens = self.kernels.get(op, state, bits)
        if opens:
            return outside(state, kernel, args, kwargs)
        return kernel(*args, **kwargs)

    def _unrecorded(
        self,
        op: OpOverload,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        level = self.level
        result = outside(state, op, opened(args, level), opened(kwargs, level))
        if not op.schema.is_mutable:
            return result
        return _with_written(op.schema, args, kwargs, result)


def _find(
    op: OpOverload, table: DispatchTable, state: State, bits: int
) -> tuple[Kernel, bool]:
    """Return the kernel at the autograd key, or one whose results raise."""
    place = bits.bit_length()
    kernel = table.kernel(place)
    if kernel is None or kernel.is_fallthrough:
        return unrecorded(op, op), True
    handler = load_at(op, state.setting, op.dispatcher.space.keys[place])
    return handler, kernel.records


def _with_written(
    schema: FunctionSchema, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    """Note what a call has written to, and return that itself where it is returned."""
    named = dict(zip((a.name for a in schema.positional), args, strict=False)) | kwargs
    written = {a.alias: named[a.name] for a in schema.arguments if a.is_write}
    note_write([*written.values()])
    returns = schema.returns
    results = (result,) if len(returns) == 1 else result or ()
    found = [
        written.get(returned.alias, one)
        for returned, one in zip(returns, results, strict=True)
    ]
    return found[0] if len(found) == 1 else tuple(found) or None


class GradLayer(DerivativeLayer):
    """Records what is called with its Tensors."""

    name = "grad"
    kernels = Findings(_find)

    def wrap(self, value: Any) -> Tensor:
        """Return a Tensor of this level, whose gradient will be wanted."""
        made = Tensor.__new__(Tensor)
        plain = backend_bits(value)
        made.bits = plain | autograd_bits(plain) | LAYER_BITS
        made.value = value
        made.level = self.level
        made.edge = Leaf()
        made.counter = None
        made.extra = None
        return made
