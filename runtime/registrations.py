"""Registrations: stacks of kernels, the newest in force, each with its undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from .errors import NotAKernelError
from .kernel import Kernel, Site, fallthrough
from .keys import KeyEnum
from .space import KeySpace

#: Kernels by key, the one in force last.
Stacks = dict[str, list[Kernel]]


@final
class Registration:
    """What an installer returns: call it, or leave its ``with`` block, to undo.

    Undoing twice does nothing the second time.
    """

    __slots__ = ("_undo", "_what", "op")

    def __init__(self, undo: Callable[[], None], what: str, op: Any = None) -> None:
        self._undo: Callable[[], None] | None = undo
        self._what: Final = what
        #: The operator that was defined or registered for, if any.
        self.op: Final = op

    def __call__(self) -> None:
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    @property
    def is_live(self) -> bool:
        """Whether it has not been undone."""
        return self._undo is not None

    def __enter__(self) -> Registration:
        return self

    def __exit__(self, *exception: object) -> None:
        self()

    def __repr__(self) -> str:
        return f"<{'live' if self.is_live else 'undone'} registration: {self._what}>"


def fallback_stacks(space: KeySpace) -> Stacks:
    """Return the fallbacks that are built into a key space."""
    site = Site(f"the key space {space.name!r}", 0, "built in")
    return {key: [Kernel(fallthrough, key, site)] for key in space.fallthrough}


def active(stacks: Stacks) -> dict[str, Kernel]:
    """Return the kernel in force at each key."""
    return {key: stack[-1] for key, stack in stacks.items() if stack}


def take_out(stacks: Stacks, kernel: Kernel) -> None:
    """Remove one registration; whatever was below it comes back."""
    stack = stacks[kernel.key]
    for place, held in enumerate(stack):
        if held is kernel:
            del stack[place]
            break
    if not stack:
        del stacks[kernel.key]


def make_kernel(function: Any, key: str, site: Site, mixed: bool = False) -> Kernel:
    """Return a kernel for anything that can be called, a fallthrough or a key.

    Raises NotAKernelError with the reason for anything else.
    """
    if not (callable(function) or isinstance(function, KeyEnum)):
        raise NotAKernelError(
            f"a kernel for {key} must be callable (a function, a method, a partial,"
            f" a builtin), not {type(function).__name__}"
        )
    if hasattr(function, "__origin__") and hasattr(function, "__args__"):
        raise NotAKernelError(
            f"{function!r} is a type annotation, not a kernel for {key}; it can be"
            " called but makes no result of an operator"
        )
    return Kernel(function, key, site, mixed=mixed)
