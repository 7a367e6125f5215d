"""Packets: an operator as a plain function with its overloads as attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from .cache import HandlerCache
from .calls import GeneralCalls
from .resolution import MISSING
from .rows import RowCalls

if TYPE_CHECKING:
    from .explain import Explanation
    from .op import OpOverload

#: Of code that takes any number of arguments by position, and any keyword; `inspect`
#: has them too, and is slow to import.
CO_VARARGS: Final = 0x04
CO_VARKEYWORDS: Final = 0x08
#: What every operator function has besides its overloads.
FUNCTION_ATTRIBUTES: Final = ("explain", "overloads", "packet")

__all__ = ["FUNCTION_ATTRIBUTES", "MISSING", "OpOverloadPacket", "packet_of"]


class OpOverloadPacket:
    """What stands behind an operator function.

    Making one gives the function its attributes: each overload by its name,
    ``overloads()``, ``explain(...)`` and ``packet``, this object; and what notebooks
    show of it.
    """

    __slots__ = (
        "function",
        "name",
        "caches",
        "_own",
        "_code",
        "_defaults",
        "_overloads",
        "_calls",
        "rows",
        "__weakref__",
    )

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
        #: The calls with ``*rest``, where the function takes it.
        self.rows: RowCalls
        #: The caches of the function's own call forms.
        self.caches: Final = tuple(caches)
        self._own: Final = tuple(overloads)
        self._code: Final[CodeType] = function.__code__
        self._defaults: Final[dict[str, Any]] = function.__kwdefaults__ or {}
        self._overloads: tuple[OpOverload, ...] = tuple(overloads)
        self._take_calls()
        for cache in caches:
            cache.attach(self.name, self._overloads, overloads[0].dispatcher)
        for op in overloads:
            setattr(function, _attribute(op), op)
        for name in ("overloads", "explain", "_repr_html_"):
            setattr(function, name, getattr(self, name))
        self._fit_function()
        function.packet = self  # type: ignore[attr-defined] # functions take any

    def overloads(self) -> list[str]:
        """Return the names of the overloads, in the order in which they are tried."""
        return [_attribute(op) for op in self._overloads]

    @property
    def members(self) -> tuple[OpOverload, ...]:
        """The overloads, in the order in which they are tried."""
        return self._overloads

    @property
    def calls(self) -> GeneralCalls:
        """The caches of calls in other forms than those of the function."""
        return self._calls

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the overload that takes these arguments, wherever they came in.

        A keyword that has the function's own default counts as not given.
        """
        args, kwargs = self._given(args, kwargs)
        return self._calls.call(args, kwargs)

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
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
        self._take_calls()
        for cache in self.caches:
            cache.replace_overloads(overloads)
        self._fit_function()

    def _take_calls(self) -> None:
        """Take the calls that are no branch of the function's code."""
        self._calls = GeneralCalls(self.name, self._overloads)
        flags = self._code.co_flags
        if flags & CO_VARARGS and not flags & CO_VARKEYWORDS:
            self.rows = RowCalls(self.name, self._overloads, self._code, self._defaults)

    def _fit_function(self) -> None:
        """Let the function take, and show, the arguments of all overloads.

        A generated function takes those of its own overloads and no others. While an
        overload is there that takes other ones, it runs code that takes anything. So it
        stays the same object, wherever it has been imported to.
        """
        function: Any = self.function
        # `inspect` shows the signature of what is wrapped, where anything is.
        function.__dict__.pop("__wrapped__", None)
        if self._code.co_flags & CO_VARKEYWORDS:
            if len(self._overloads) == 1:
                function.__wrapped__ = self._overloads[0]
        elif not self._has_code_for_all():
            # The default comes before the code that needs it, and goes after it.
            function.__kwdefaults__ = {**self._defaults, "__packet__": self}
            function.__code__ = _takes_anything.__code__
            function.__wrapped__ = _anything
        elif function.__code__ is not self._code:
            # Only if need be: from 3.13 on, setting code makes calls slower for good.
            function.__code__ = self._code
            function.__kwdefaults__ = self._defaults or None

    def _has_code_for_all(self) -> bool:
        """Whether every late overload takes the arguments of a generated one."""
        late = [op for op in self._overloads if op not in self._own]
        if not late:
            return True  # and no schema is parsed to find that out
        # Without caches of its own the function asks those of its one overload.
        own = {_form(op) for op in self._own if self.caches}
        return all(_form(op) in own for op in late)

    def _given(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # By identity throughout: arrays compare element by element.
        default = self._defaults.get
        named = {
            name: value
            for name, value in kwargs.items()
            if value is not default(name, MISSING) and value is not MISSING
        }
        for count, first in enumerate(args):
            if first is MISSING:
                # What follows a gap was given by name.
                names = self._code.co_varnames
                late = zip(names[count:], args[count:], strict=False)
                named |= {name: value for name, value in late if value is not MISSING}
                return args[:count], named
        return args, named

    def __reduce__(self) -> tuple[Any, ...]:
        # As for overloads: pickle and copy give back this very object.
        return packet_of, (self.function,)

    def _repr_html_(self) -> str:
        from .notebook import packet_html

        return packet_html(self)

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


def _anything(*args: Any, **kwargs: Any) -> Any:
    """Stand for the signature of `_takes_anything`, without what only that needs."""


def _takes_anything(*args: Any, __packet__: Any, **kwargs: Any) -> Any:
    return __packet__.call(args, kwargs)


def _form(op: OpOverload) -> tuple[object, ...]:
    """Return what a generated function knows of the arguments of an overload."""
    return tuple(
        (argument.name, argument.keyword_only, argument.default_text)
        for argument in op.schema.arguments
    )


def _attribute(op: OpOverload) -> str:
    return op.qualified_name.partition(".")[2]
