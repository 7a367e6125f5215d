"""The native side: a library that dispatches operators by itself, as PyTorch does.

Its dispatch keys are those of the key space, its kernels are called at a key without a
detour through Python, and its state is that of the thread. What keyslot asks of it is
here; ``keyslot.torch`` answers for PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .kernel import Kernel
    from .native import NativeOverload

Function = Callable[..., Any]


class NativeOperator(Protocol):
    """One overload on the native side."""

    @property
    def call(self) -> Function:
        """A call in the ordinary way: the native side finds the kernel."""
        ...

    def at(self, key: str) -> Function:
        """Return its kernel of a runtime or alias key, or its fallback at a key."""
        ...

    def dispatch(self, keys: tuple[str, ...]) -> Function | None:
        """Return a call of the native kernels at these keys, the highest first.

        Nothing that dispatches further down comes to the Python dispatcher again. It
        takes no numbers for arrays. None where the Python dispatcher may have something
        to find further down.
        """
        ...

    def deferred(self, key: str) -> Function | None:
        """Return what to call at a key whose kernel is decided anew by every call."""
        ...

    def kernels(self) -> Mapping[str, Kernel]:
        """Return what is registered now: at each key a kernel that is this key."""
        ...

    def python_kernels(self) -> Mapping[str, Kernel]:
        """Return the kernels of the native side's own Python dispatcher."""
        ...

    def forget(self) -> None:
        """Drop what the native side has cached: a Python kernel has changed."""
        ...


class NativeSide(Protocol):
    """The library behind a key space."""

    def operator(self, op: NativeOverload) -> NativeOperator:
        """Return an overload as the native side has it.

        Raises NativeOperatorError where there is none.
        """
        ...

    def packet(self, name: str) -> Function:
        """Return a function that finds the overload of a call, and calls it.

        ``name`` has the namespace, ``aten::mul``.
        """
        ...

    def overload_for(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> str | None:
        """Return the name of the overload that takes a call, ``default`` among them.

        None where none is found: a call may be refused, or still be taken.
        """
        ...

    def fallbacks(self) -> Mapping[str, Kernel]:
        """Return the backend fallbacks, each a kernel that is its own key."""
        ...

    def brought(self, values: tuple[Any, ...]) -> int:
        """Return the word of the keys that arguments bring: arrays, or lists of them.

        Others are passed over, but for numbers where an array is meant.
        """
        ...

    def is_overridden(self, values: tuple[Any, ...]) -> bool:
        """Whether a call is for a mode or a subclass of arrays, before any dispatch."""
        ...

    def has_numbers(self, values: tuple[Any, ...]) -> bool:
        """Whether a number stands where an array is meant.

        The native side makes an array of it before it dispatches.
        """
        ...

    def checks(self, values: tuple[Any, ...]) -> tuple[Function, ...] | None:
        """Return for each value a fast function that takes another in its place.

        It tells whether that brings the same keys in a thread of the same state, but
        for the Python dispatcher. It may say no where it does. None if that cannot be
        told fast.
        """
        ...

    def state(self) -> tuple[int, int]:
        """Return the words of what this thread includes, and of what it excludes."""
        ...

    def bits(self, word: int) -> int:
        """Return the keys of a word as bits of the key space."""
        ...

    def python_dispatcher(self, enabled: bool) -> AbstractContextManager[Any]:
        """Return a context in which the Python dispatcher is on, or off."""
        ...

    def including(self, keys: tuple[str, ...]) -> AbstractContextManager[Any]:
        """Return a context in which every call has these runtime keys."""
        ...

    def excluding(self, keys: tuple[str, ...]) -> AbstractContextManager[Any]:
        """Return a context in which no call has these runtime keys."""
        ...
