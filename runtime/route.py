"""Routes: what arguments of some types mean for an operator, before any state.

A route says which overload is called, which keys the arguments bring, and how the
arguments get from the form of the call to that of the kernel. It depends on types
and declarations only; included keys, registrations and the like come afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from .adapters import adapter, can_adapt
from .errors import ArgumentFact, NoArrayError
from .given import (
    DeviceName,
    Given,
    ListOf,
    backends,
    describe_array,
    describe_arrays,
    keyed_class,
    own_bits,
    type_name,
)
from .resolution import Binding, CallShape, Source, checked

if TYPE_CHECKING:
    from .array_types import ArrayTypes
    from .op import OpOverload


Describe = Callable[[Any], Given]


class Brought(NamedTuple):
    """What the arguments of a call bring into its key set."""

    bits: int
    #: Backend and names of the arguments that are its arrays.
    backends: dict[str, list[str]]
    facts: tuple[ArgumentFact, ...]
    #: Names of the arguments with arrays that carry their own keys.
    keyed: tuple[str, ...] = ()


@final
class Route:
    """The overload for some argument types, and what the arguments bring."""

    __slots__ = ("op", "binding", "shape", "given", "brought", "unchanged")

    def __init__(
        self, binding: Binding, shape: CallShape, given: tuple[Given, ...]
    ) -> None:
        #: The overload.
        self.op: Final[OpOverload] = binding.op
        #: Where each argument of the kernel comes from.
        self.binding: Final = binding
        #: How the arguments of the call come in.
        self.shape: Final = shape
        #: Their types.
        self.given: Final = given
        #: The keys they bring.
        self.brought: Final = bring(binding, given)
        #: Whether the kernel can be called with the arguments just as they come.
        self.unchanged: Final = _is_unchanged(binding, shape)

    @property
    def bits(self) -> int:
        """Bits of the keys that the arguments bring."""
        return self.brought.bits

    @property
    def is_keyed(self) -> bool:
        """Whether some arrays carry their own keys, which types do not say."""
        return bool(self.brought.keyed)

    def keyed_places(self) -> list[tuple[int, Given]]:
        """Return where such arrays come in the call."""
        return [
            (source.place, self.given[source.place])
            for source in self.binding.sources
            if source.place is not None
            and source.argument.type.base.name == "Tensor"
            and keyed_class(self.given[source.place], self.op.dispatcher.arrays)
        ]

    def undecided(self) -> tuple[tuple[int, Describe], ...]:
        """Return the arguments whose values decide further, each with how to look.

        Arrays without dimensions give way where libraries meet, and a device may name
        the backend where no array does.
        """
        arrays = self.op.dispatcher.arrays
        taken = [
            (source.argument, source.place, self.given[source.place])
            for source in self.binding.sources
            if source.place is not None
        ]
        if len(self.brought.backends) > 1:
            return tuple(
                (place, look)
                for argument, place, given in taken
                if argument.type.base.name == "Tensor"
                and _may_give_way(given, arrays)
                and (look := _dimensions_of(given))
            )
        if any(self.brought.backends.values()):
            return ()
        return tuple(
            (place, DeviceName)
            for argument, place, given in taken
            if argument.name == "device"
            and isinstance(given, type)
            and issubclass(given, str)
        )

    def adapt(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that takes the call's arguments and calls the kernel."""
        if self.unchanged:
            return function
        binding = self.binding
        if can_adapt(binding, self.shape):
            return adapter(binding, self.shape, function)

        def adapted(*args: Any, **kwargs: Any) -> Any:
            positional, named = lay_out(binding, (*args, *kwargs.values()))
            return function(*positional, **named)

        return adapted


def lay_out(
    binding: Binding, values: Sequence[Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the kernel's arguments for the values of a call, in its order.

    Raises ArgumentValueError for a value that the schema's type cannot hold.
    """
    op = binding.op
    positional = [_value(op, source, values) for source in binding.positional]
    named = {
        source.argument.name: _value(op, source, values)
        for source in binding.keyword_only
    }
    return tuple(positional), named


def _value(op: OpOverload, source: Source, values: Sequence[Any]) -> Any:
    if source.place is None:
        return source.default
    convert = checked(op, source)
    value = values[source.place]
    return value if convert is None else convert(value)


def _is_unchanged(binding: Binding, shape: CallShape) -> bool:
    if any(s.place is None or s.convert is not None for s in binding.sources):
        return False
    in_order = [source.place for source in binding.positional]
    by_name = {source.argument.name for source in binding.keyword_only}
    count = len(shape.positional)
    return in_order == list(range(count)) and by_name == set(shape.keyword_only)


def bring(binding: Binding, given: Sequence[Given]) -> Brought:
    """Return the keys that the Tensor arguments of a call bring.

    Scalars of a backend bring its keys only where no array brings any. An operator
    that takes no array at all is decided by its ``device``, or goes to the default
    backend, as PyTorch's BackendSelect kernels do.

    Raises NoArrayError where Tensor arguments are declared and no array is given.
    """
    op = binding.op
    arrays: dict[str, list[str]] = {}
    scalars: dict[str, list[str]] = {}
    facts: list[ArgumentFact] = []
    keyed: list[str] = []
    own = 0
    for source in binding.sources:
        if source.place is None or source.argument.type.base.name != "Tensor":
            continue
        name, cls = source.argument.name, given[source.place]
        found = backends(cls, op.dispatcher.arrays)
        own |= own_bits(cls, op.dispatcher.arrays)
        if keyed_class(cls, op.dispatcher.arrays):
            keyed.append(name)
        for backend, scalar in found:
            (scalars if scalar else arrays).setdefault(backend, []).append(name)
        facts.append(argument_fact(name, cls, op.dispatcher.arrays))
    decided = arrays or scalars
    if not (decided or keyed or own):
        decided = {_without_arrays(binding, given, facts): list[str]()}
    bits = own
    for backend in decided:
        op.dispatcher.entry_points.load(backend)
        bits |= op.dispatcher.arrays.bits_of(backend)
    return Brought(bits, decided, tuple(facts), tuple(keyed))


def _may_give_way(given: Given, arrays: ArrayTypes) -> bool:
    found = backends(given, arrays)
    return any(backend in arrays.scalar_backends for backend, _ in found)


def _dimensions_of(given: Given) -> Describe | None:
    """Return how to see whether arrays have dimensions; None if that has been seen."""
    if isinstance(given, type):
        return describe_array
    if not isinstance(given, ListOf):
        return None
    seen = not all(isinstance(item, type) for item in given.items)
    return None if seen else describe_arrays


def argument_fact(name: str, given: Given, arrays: ArrayTypes) -> ArgumentFact:
    """Return what messages say of an argument, and of what it brings into a call."""
    brought = [
        f"{'scalar' if scalar else 'array'} of {backend}"
        for backend, scalar in backends(given, arrays)
    ]
    if keyed_class(given, arrays) is not None:
        brought.append("array with keys of its own")
    text = ", ".join(brought) or "no array type, brings no key"
    return ArgumentFact(name, type_name(given), text)


def _without_arrays(
    binding: Binding, given: Sequence[Given], facts: list[ArgumentFact]
) -> str:
    op = binding.op
    required = any(
        source.argument.type.base.name == "Tensor" and not _is_optional(source)
        for source in binding.sources
    )
    default = op.dispatcher.space.default_backend
    if required or default is None:
        raise NoArrayError(op.name, op.schema_text, tuple(facts))
    for source in binding.sources:
        if source.place is not None and source.argument.name == "device":
            device = given[source.place]
            if isinstance(device, DeviceName):
                return op.dispatcher.backends.of_device(device.name) or default
    return default


def _is_optional(source: Source) -> bool:
    """Whether a call may have no array for this argument: the schema takes none."""
    argument = source.argument
    element = getattr(argument.type, "element", argument.type)
    return argument.has_default or "optional" in (argument.type.kind, element.kind)
