"""`Tensor`: an array of any backend with a key set of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Self, cast

from ..generated.keys import DISPATCHER, SPACE, DispatchKeySet
from ..generated.tensor_methods import TensorMethods
from ..runtime.array_types import DISPATCH_METHOD
from ..runtime.errors import TransformedValueError
from ..runtime.keyed_array import KeyedArray
from .array_protocol import ArrayProtocol

if TYPE_CHECKING:
    from .autograd.node import Edge
    from .views import Replay

#: Bits of the keys that record gradients.
AUTOGRAD: Final = SPACE.bits(["Autograd"])
#: The bit of a backend's autograd key, by the backend.
_AUTOGRAD_OF: Final = {
    backend: SPACE.bit(f"Autograd{backend}") for backend in SPACE.backends
}
_DENSE_OF: Final = {backend: SPACE.bit(backend) for backend in SPACE.backends}
_DENSE: Final = SPACE.bits(SPACE.backends)


class Tensor(ArrayProtocol, TensorMethods, KeyedArray):
    """An array, with the keys that a call with it has.

    ``Tensor(array)`` takes an array of any registered backend, whose memory it shares,
    and has the operators as methods. With ``requires_grad=True``, operators that are
    called with it record what `backward` needs.
    """

    __slots__ = ("__weakref__", "counter", "edge", "extra", "level", "value")

    # NumPy's operators see it, and leave the call to ours.
    __array_ufunc__ = None
    __hash__ = object.__hash__

    #: The array, or for a wrapper of a transform whatever that transform wraps.
    value: Any
    #: Which running transform the wrapper belongs to; 0 for none, and -1 for one that
    #: no transform opens.
    level: int
    #: Where its gradient goes: a node of the graph, and which of its results it is.
    edge: Edge | None
    #: How often its memory has been written to: one number, shared with its views; None
    #: where there are none and nobody has, which is the rule.
    counter: list[int] | None
    #: What few of them have.
    extra: Extra | None

    def __init__(self, value: Any, *, requires_grad: bool = False) -> None:
        if type(self) is Tensor and isinstance(value, Tensor) and value.level >= 0:
            why = "it is one already: use it as it is, or what its detach() returns"
            raise TransformedValueError("a Tensor", why)
        self.bits = backend_bits(value)
        self.value = value
        self.level = 0
        if hasattr(type(self), DISPATCH_METHOD):
            self.bits |= DISPATCHER.arrays.python_bit
            # What it does is for its class to say, and for no kernel in between.
            self.level = -1
        self.edge = None
        self.counter = None
        self.extra = None
        if requires_grad:
            self.requires_grad_()

    @classmethod
    def handler(
        cls,
        op: Any,
        setting: Any,
        bits: int,
        place: int,
        function: Callable[..., Any],
    ) -> Callable[..., Any]:
        """Return a kernel as one that takes Tensors, where it takes arrays."""
        from .autograd.unrecorded import unrecorded
        from .backend_kernels import takes_arrays, unwrapping

        if not takes_arrays(op, setting, place):
            return function
        # Were there a formula for gradients, its kernel would have been chosen.
        return unrecorded(op, function) if bits & AUTOGRAD else unwrapping(op, function)

    @property
    def keys(self) -> DispatchKeySet:
        """The key set that it brings into a call."""
        return DispatchKeySet.from_bits(self.bits)

    def __repr__(self) -> str:
        from .printing import shown

        return shown(self)

    def __copy__(self) -> Tensor:
        from .copying import shallow

        return shallow(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        from .copying import reduced

        return reduced(self)

    # --- gradients -----------------------------------------------------------------

    @property
    def current_edge(self) -> Edge | None:
        """Where its gradient goes, of a view of what has changed since too."""
        if self.extra is None:
            return self.edge
        from .views import current_edge

        edge: Edge | None = current_edge(self)
        return edge

    @property
    def requires_grad(self) -> bool:
        """Whether calls with it are recorded."""
        return self.current_edge is not None

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Say whether calls with it are recorded, and return it.

        Raises GradientInputError for integers, and for what a recorded call has made.
        """
        from .autograd.backward_call import start_requiring, stop_requiring

        if requires_grad and not self.requires_grad:
            start_requiring(self)
            self.bits |= autograd_bits(self.bits)
        elif not requires_grad and self.requires_grad:
            stop_requiring(self)
            self.bits &= ~AUTOGRAD
        return self

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` has left, for a leaf that requires it."""
        return None if self.extra is None else self.extra.grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        from .autograd.cotangents import in_form_of

        if grad is not None:
            given = in_form_of("grad", self, grad)
            grad = given if isinstance(given, Tensor) else Tensor(given)
        if self.extra is None:
            self.extra = Extra()
        self.extra.grad = grad

    @property
    def grad_fn(self) -> Any:
        """The node of the call that it is the result of; None for a leaf."""
        from .autograd.node import end_of

        edge = self.current_edge
        return None if self.is_leaf or edge is None else end_of(edge)[0]

    @property
    def is_leaf(self) -> bool:
        """Whether it is not the result of a recorded call."""
        from .autograd.inplace import is_leaf

        return is_leaf(self)

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> None:
        """Add the gradients of this Tensor to the ``grad`` of those it was made of.

        ``gradient`` is that of this Tensor itself, of its shape; one number needs none.
        With ``retain_graph`` the graph may be gone through again, with
        ``create_graph`` the gradients can be differentiated in turn.

        Raises GradientInputError, GradientOutputError, SavedValuesFreedError,
        ChangedValueError and NotDifferentiableError.
        """
        from .autograd.backward_call import backward

        backward(self, gradient, retain_graph, create_graph)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> Callable[[], None]:
        """Call ``hook`` with the gradient of this Tensor when it is known.

        What it returns, unless None, takes the place of the gradient. Returns a
        function that undoes the registration.
        """
        from .autograd.backward_call import add_hook

        return add_hook(self, hook)

    def add_grad(self, grad: Any, record: bool) -> None:
        """Add to the gradient that `backward` leaves."""
        from .. import generated as ops

        old = self.grad
        if old is None:
            # Others may have the same gradient, and users write to theirs.
            self.grad = ops.clone(grad)
        elif record:
            self.grad = ops.add(old, grad)
        else:
            new = grad.value if isinstance(grad, Tensor) else grad
            self.grad = Tensor(ops.add(old.value, new))


class Extra:
    """What few Tensors have."""

    __slots__ = ("base", "grad", "replay", "version")

    def __init__(self) -> None:
        #: The gradient that `backward` has left, for those that nothing recorded made.
        self.grad: Tensor | None = None
        #: For a view: whose memory it shares, and how it is made of it.
        self.base: Tensor | None = None
        self.replay: Replay | None = None
        #: How often that memory had been written to when its edge was made.
        self.version = 0


def backend_bits(value: object) -> int:
    """Return the bit of the backend that an array belongs to.

    Raises NotAnArrayError for what belongs to none.
    """
    found = DISPATCHER.arrays.lookup(type(value))
    if found is not None and found.backend:
        return _DENSE_OF[found.backend]
    if isinstance(value, Tensor):
        return value.bits & _DENSE
    from ..runtime.errors import NotAnArrayError
    from ..runtime.given import type_name

    raise NotAnArrayError(type_name(type(value)), SPACE.backends)


def autograd_bits(bits: int) -> int:
    """Return the bits of the autograd keys of the backends in a key set."""
    found = 0
    for backend, bit in _DENSE_OF.items():
        if bits & bit:
            found |= _AUTOGRAD_OF[backend]
    return found


def requiring_grad(value: Any) -> Tensor:
    """Return an array as a leaf whose gradient is wanted."""
    return Tensor(value, requires_grad=True)


def counter_of(tensor: Tensor) -> list[int]:
    """Return the count of writes to the memory of a Tensor, to be shared."""
    if tensor.counter is None:
        tensor.counter = [0]
    return tensor.counter


def version_of(tensor: Tensor) -> int:
    """Return how often the memory of a Tensor has been written to."""
    return 0 if tensor.counter is None else tensor.counter[0]


def wrap(value: Any) -> Any:
    """Return an array that a kernel has made as a Tensor; None stays None."""
    return None if value is None else Tensor(value)


def note_write(tensor: Any) -> None:
    """Count a write to the memory of an argument, of each in a list."""
    if isinstance(tensor, Tensor):
        counter_of(tensor)[0] += 1
    elif isinstance(tensor, (list, tuple)):
        for item in cast("list[object]", tensor):
            note_write(item)


def recorded(
    value: Any,
    level: int,
    edge: Edge,
    bits: int | None = None,
    counter: list[int] | None = None,
) -> Tensor:
    """Return a result of a call that was recorded."""
    made = Tensor.__new__(Tensor)
    plain = backend_bits(value)
    made.bits = plain | autograd_bits(plain) if bits is None else bits
    made.value = value
    made.level = level
    made.edge = edge
    made.counter = counter
    made.extra = None
    return made
