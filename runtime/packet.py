"""Packets: an operator as a plain function with its overloads as attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, final

from .cache import HandlerCache
from .calls import GeneralCalls
from .resolution import MISSING

if TYPE_CHECKING:
    from .explain import Explanation
    from .op import OpOverload

__all__ = ["MISSING", "OpOverloadPacket", "packet_of"]


@final
class OpOverloadPacket:
    """What stands behind an operator function.

    Making one gives the function its attributes: each overload by its name,
    ``overloads()``, ``explain(...)`` and ``packet``, this object.
    """

    __slots__ = ("function", "name", "caches", "_overloads", "_calls")

    def __init__(
        self,
        function: Callable[..., Any],
        overloads: Sequence[OpOverload],
        caches: Sequence[HandlerCache] = (),
    ) -> None:
        #: The operator function.
        self.function: Final = function
        #: The name with its namespace, ``keyslot::mul``.
        self.name: Final = overloads[0].name.partition(".")[0]
        #: The caches of the function's own call forms.
        self.caches: Final = tuple(caches)
        self._overloads: tuple[OpOverload, ...] = tuple(overloads)
        self._calls = GeneralCalls(self.name, self._overloads)
        for cache in caches:
            cache.attach(self.name, self._overloads, overloads[0].dispatcher)
        for op in overloads:
            setattr(function, _attribute(op), op)
        for name in ("overloads", "explain"):
            setattr(function, name, getattr(self, name))
        function.packet = self  # type: ignore[attr-defined] # functions take any

    def overloads(self) -> list[str]:
        """Return the names of the overloads, in the order in which they are tried."""
        return [_attribute(op) for op in self._overloads]

    @property
    def members(self) -> tuple[OpOverload, ...]:
        """The overloads, in the order in which they are tried."""
        return self._overloads

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the overload that takes these arguments, wherever they came in.

        A keyword that has the function's own default counts as not given.
        """
        args, kwargs = self._given(args, kwargs)
        return self._calls.call(args, kwargs)

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Return the whole decision for one call, without making the call."""
        from .explain import explain_call

        return explain_call(self._calls, args, kwargs)

    def add(self, op: OpOverload) -> None:
        """Add an overload that is defined at run time; the lock must be held."""
        setattr(self.function, _attribute(op), op)
        self._replace((*self._overloads, op))

    def remove(self, op: OpOverload) -> None:
        """Take an overload away again; the lock must be held."""
        delattr(self.function, _attribute(op))
        self._replace(tuple(held for held in self._overloads if held is not op))

    def _replace(self, overloads: tuple[OpOverload, ...]) -> None:
        self._overloads = overloads
        self._calls = GeneralCalls(self.name, overloads)
        for cache in self.caches:
            cache.replace_overloads(overloads)

    def _given(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        defaults: dict[str, Any] = getattr(self.function, "__kwdefaults__", None) or {}
        named = {
            name: value
            for name, value in kwargs.items()
            if value is not MISSING
            and not (name in defaults and value is defaults[name])
        }
        # By identity: arrays compare element by element.
        gaps = [place for place, value in enumerate(args) if value is MISSING]
        if gaps:
            # What follows a gap was given by name.
            count = gaps[0]
            assert isinstance(self.function, FunctionType)  # a gap has a named default
            names = self.function.__code__.co_varnames
            late = zip(names[count:], args[count:], strict=False)
            named |= {name: value for name, value in late if value is not MISSING}
            args = args[:count]
        return args, named

    def __repr__(self) -> str:
        return f"<OpOverloadPacket {self.name}: {', '.join(self.overloads())}>"


def packet_of(function: Any) -> OpOverloadPacket:
    """Return the packet behind an operator function.

    Raises TypeError for anything else.
    """
    packet = getattr(function, "packet", None)
    if not isinstance(packet, OpOverloadPacket):
        raise TypeError(f"{function!r} is not an operator")
    return packet


def _attribute(op: OpOverload) -> str:
    return op.qualified_name.partition(".")[2]
