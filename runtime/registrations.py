"""Registrations: stacks of kernels, the newest in force, each with its undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final, get_origin

from .errors import NotAKernelError
from .kernel import Kernel, Site, WithKeySet, fallthrough
from .keys import KeyEnum
from .space import KeySpace

#: Kernels by key, the one in force last. Never changed, only replaced: a collection
#: may start anywhere, and a finalizer that it runs may register on the same thread.
Stacks = Mapping[str, tuple[Kernel, ...]]
#: More frames than any change of a table takes.
_FRAMES: Final = 40


@final
class Registration:
    """What an installer returns: call it, or leave its ``with`` block, to undo.

    Undoing twice does nothing the second time.
    """

    __slots__ = ("_undo", "_what", "_holder", "op")

    def __init__(self, undo: Callable[[], None], what: str, op: Any = None) -> None:
        self._undo: Callable[[], None] | None = undo
        self._what: Final = what
        self._holder: dict[Registration, None] | None = None
        #: The operator that was defined or registered for, if any.
        self.op: Final = op

    def __call__(self) -> None:
        undo, self._undo = self._undo, None
        if undo is None:
            return
        try:
            undo()
        except BaseException:
            # It is still in force.
            self._undo = undo
            raise
        if self._holder is not None:
            self._holder.pop(self, None)

    def keep_in(self, holder: dict[Registration, None]) -> None:
        """Enter it in a register, which it leaves when it is undone."""
        self._holder = holder
        holder[self] = None

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


def built_in_site(space: KeySpace) -> Site:
    """Return where the fallbacks that a key space brings are registered."""
    return Site(f"the key space {space.name!r}", 0, "built in")


def fallback_stacks(space: KeySpace) -> Stacks:
    """Return the fallbacks that are built into a key space."""
    site = built_in_site(space)
    kernels = [Kernel(fallthrough, key, site) for key in space.fallthrough]
    kernels += [Kernel(None, k, site, reference=r) for k, r in space.fallbacks.items()]
    return {kernel.key: (kernel,) for kernel in kernels}


def active(stacks: Stacks) -> dict[str, Kernel]:
    """Return the kernel in force at each key."""
    return {key: stack[-1] for key, stack in stacks.items()}


def put_on(stacks: Stacks, kernel: Kernel) -> Stacks:
    """Return the stacks with a kernel on top of the others at its key."""
    return {**stacks, kernel.key: (*stacks.get(kernel.key, ()), kernel)}


def take_out(stacks: Stacks, kernel: Kernel) -> Stacks:
    """Return the stacks without a kernel; whatever was below it is back in force."""
    stack = stacks.get(kernel.key, ())
    left = tuple(held for held in stack if held is not kernel)
    if left:
        return {**stacks, kernel.key: left}
    return {key: held for key, held in stacks.items() if key != kernel.key}


def need_stack(frames: int = _FRAMES) -> None:
    """Raise RecursionError now rather than half way through a change.

    Kernels may register, and may do so where the stack is all but used up.
    """
    if frames:
        need_stack(frames - 1)


def make_kernel(function: Any, key: str, site: Site, mixed: bool = False) -> Kernel:
    """Return a kernel for anything that can be called, a fallthrough or a key.

    Raises NotAKernelError with the reason for anything else.
    """
    bare = function.function if isinstance(function, WithKeySet) else function
    if not (callable(bare) or isinstance(bare, KeyEnum)):
        raise NotAKernelError(
            f"a kernel for {key} must be callable (a function, a method, a partial,"
            f" a builtin), not {type(bare).__name__}"
        )
    if get_origin(bare) is not None:
        raise NotAKernelError(
            f"{bare!r} is a type annotation, not a kernel for {key}; it can be"
            " called but makes no result of an operator"
        )
    return Kernel(function, key, site, mixed=mixed)
