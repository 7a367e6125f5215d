"""Overload resolution: which overload takes arguments of some types, and how.

Overloads are tried in the order of their declaration. The one whose types are nearest
to those given wins, and the earlier one among equals, so the result depends on
nothing but the declarations. Only types are looked at; the answer is cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .arguments import Accepted, Convert, accept
from .errors import ArgumentValueError
from .given import Given, has_number, type_name

if TYPE_CHECKING:
    from .array_types import ArrayTypes
    from .op import OpOverload
    from .schema import Argument


class Missing:
    """The type of `MISSING`, the default of a parameter that a call leaves away."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<not given>"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = Missing()


class CallShape(NamedTuple):
    """How arguments come in: the first by position, the others by keyword."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    #: How many of the first hold what stood at their place in the call; the others hold
    #: what goes by their name. None for all of them.
    by_position: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters in the order in which their types are given."""
        return self.positional + self.keyword_only


class Source(NamedTuple):
    """Where a kernel's argument comes from: a place of the call, or its default."""

    argument: Argument
    #: The place among the arguments of the call; None for the default.
    place: int | None
    #: How the schema takes the type that was given.
    accepted: Accepted
    #: The default, brought into the form that kernels get.
    default: Any = None

    @property
    def convert(self) -> Convert | None:
        """What the value goes through on its way to the kernel."""
        return self.accepted.convert


class Binding(NamedTuple):
    """An overload and the arguments of a call laid out as its schema has them."""

    op: OpOverload
    positional: tuple[Source, ...]
    keyword_only: tuple[Source, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every argument of the schema."""
        return self.positional + self.keyword_only

    @property
    def distance(self) -> int:
        """How far the given types are from those of the schema."""
        return sum(source.accepted.distance for source in self.sources)


def bind(op: OpOverload, shape: CallShape, given: Sequence[Given]) -> Binding | str:
    """Lay out a call as the overload's schema has it, or return why it cannot be."""
    places = _places(op, shape, given)
    if isinstance(places, str):
        return places
    sources: list[Source] = []
    for argument in op.schema.arguments:
        source = _source(op, argument, places.get(argument.name), given)
        if isinstance(source, str):
            return source
        sources.append(source)
    count = len(op.schema.positional)
    return Binding(op, tuple(sources[:count]), tuple(sources[count:]))


def choose(
    overloads: Sequence[OpOverload], shape: CallShape, given: Sequence[Given]
) -> Binding | list[tuple[str, str]]:
    """Return the nearest overload's binding, or the reason of each refusal."""
    refusals: list[tuple[str, str]] = []
    best: Binding | None = None
    for op in overloads:
        binding = bind(op, shape, given)
        if isinstance(binding, str):
            refusals.append((op.schema_text, binding))
        elif best is None or binding.distance < best.distance:
            best = binding
    return refusals if best is None else best


def shown(names: Iterable[str], given: Iterable[Given]) -> tuple[str, ...]:
    """Return the arguments of a call as messages show them: name and type."""
    pairs = zip(names, given, strict=True)
    return tuple(
        f"{name}: {type_name(cls)}" for name, cls in pairs if cls is not Missing
    )


def _places(
    op: OpOverload, shape: CallShape, given: Sequence[Given]
) -> dict[str, int] | str:
    """Map the schema's arguments to places of the call, or return what is wrong."""
    arguments = op.schema.positional
    known = {argument.name for argument in op.schema.arguments}
    places: dict[str, int] = {}
    count = shape.by_position
    by_position = len(shape.positional) if count is None else count
    for place, name in enumerate(shape.names):
        if given[place] is Missing:
            # What follows a gap was given by name.
            by_position = min(by_position, place)
            continue
        if place < by_position:
            if place >= len(arguments):
                count = len(arguments)
                noun = "argument" if count == 1 else "arguments"
                return f"takes at most {count} positional {noun}"
            name = arguments[place].name
        if name not in known:
            return f"has no argument {name!r}"
        if name in places:
            return f"got argument {name!r} twice, by position and by name"
        places[name] = place
    return places


def _source(
    op: OpOverload, argument: Argument, place: int | None, given: Sequence[Given]
) -> Source | str:
    arrays = op.dispatcher.arrays
    if place is None:
        if not argument.has_default:
            return f"missing argument {argument.name!r}"
        return Source(argument, None, Accepted(0), default_value(argument))
    accepted = accept(argument.type, given[place], arrays)
    if accepted is None:
        found = type_name(given[place])
        refusal = f"argument {argument.name!r} takes {argument.type}, not {found}"
        return refusal + _how_to_register(argument, given[place], arrays)
    if argument.type.base.name == "Tensor" and has_number(given[place], arrays):
        why_not = _number_refusal(op, argument, type_name(given[place]))
        if why_not is not None:
            return why_not
    return Source(argument, place, accepted)


def _number_refusal(op: OpOverload, argument: Argument, found: str) -> str | None:
    """Return why a number cannot stand for an array here, None if it can."""
    if argument.is_write:
        return f"argument {argument.name!r} is written to, which {found} cannot be"
    if op.takes_numbers:
        return None
    return (
        f"argument {argument.name!r} takes {argument.type}, not {found}; pass an array,"
        " such as np.asarray(2), or declare the operator with tags: pointwise, which"
        " lets numbers stand for arrays"
    )


def _how_to_register(argument: Argument, given: Given, arrays: ArrayTypes) -> str:
    """Return what to do about a class that may be one of arrays, if it may be."""
    if argument.type.base.name != "Tensor" or not isinstance(given, type):
        return ""
    if given.__module__ == "builtins" or arrays.lookup(given) is not None:
        return ""
    return f"; register_array_type({given.__name__}, backend) makes it an array"


def default_value(argument: Argument) -> Any:
    """Return the default of an argument in the form that kernels get.

    A lone value that stands for a list, ``int[2] stride=1``, is repeated, and an int
    that stands for a float is one. Lists are tuples, as in generated signatures: they
    are the same for all calls, and no kernel can change them.
    """
    default = argument.default
    value: Any = tuple(default) if isinstance(default, list) else default
    if argument.type.base.name == "float":
        value = _as_floats(value)
    # Of an optional list it is the list that has a size.
    wanted = argument.type
    wanted = wanted.element if wanted.kind == "optional" else wanted
    size = wanted.size if wanted.kind == "list" else None
    return (value,) * size if size is not None and _is_lone(value) else value


def _is_lone(value: object) -> bool:
    return value is not None and not isinstance(value, tuple)


def _as_floats(value: tuple[Any, ...] | float | None) -> Any:
    if isinstance(value, tuple):
        return tuple(float(item) for item in value)
    return value if value is None else float(value)


def checked(op: OpOverload, source: Source) -> Convert | None:
    """Return the converter of an argument, which says whose it is when it refuses.

    It raises ArgumentValueError.
    """
    convert = source.convert
    if convert is None or not source.accepted.can_fail:
        return convert

    def convert_checked(value: Any) -> Any:
        try:
            return convert(value)
        except (ArgumentValueError, TypeError, ValueError, OverflowError) as error:
            where = f"{op.name}: argument {source.argument.name!r}: {error}"
            raise ArgumentValueError(where) from None

    return convert_checked
