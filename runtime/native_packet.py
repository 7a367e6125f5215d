"""The function in front of overloads that a library dispatches too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from .errors import NativeOperatorError
from .packet import OpOverloadPacket

if TYPE_CHECKING:
    from .explain import Explanation
    from .native import NativeOverload


class NativePacket(OpOverloadPacket):
    """What stands behind an operator function with a native side.

    Which overload a call means is for the native side to decide.
    """

    __slots__ = ("_first", "_native_call")

    def __init__(
        self, function: Callable[..., Any], overloads: Sequence[NativeOverload]
    ) -> None:
        super().__init__(function, overloads)
        self._first: Final = overloads[0]
        self._native_call: Callable[..., Any] | None = None

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the overload that takes these arguments.

        The native side finds it, and asks for our kernels itself. To ask it first for
        the overload would convert arguments twice, and a trace shows such conversions.
        """
        if self._native_call is None:
            self._native_call = self._first.dispatcher.side.packet(self.name)
        return self._native_call(*args, **kwargs)

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Return the whole decision for one call, without making the call.

        Raises NativeOperatorError where no overload takes the arguments that the
        native side dispatches.
        """
        op = self._overload_for(args, kwargs)
        if op is None:
            raise NativeOperatorError(
                self.name, "no overload that is dispatched takes these arguments"
            )
        return op.explain(*args, **kwargs)

    def _overload_for(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> NativeOverload | None:
        """Return the overload that takes a call, if it is one of ours.

        The native side may have others, which it never dispatches: for numbers alone.
        """
        side = self._first.dispatcher.side
        overload = side.overload_for(self.name, args, kwargs)
        return None if overload is None else vars(self.function).get(overload)
