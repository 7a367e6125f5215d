"""The dispatch state of a thread or task: what guards have switched on.

The state is an immutable value in a ``ContextVar``. The default state costs calls next
to nothing: generated code asks a global of its own module, ``active``, whether there is
any other state anywhere. `ActiveStates` counts those that live and keeps these globals
up to date. A state is counted until it is finalized, not until its guard ends, for a
task created inside a guard still holds the state afterwards and must still see it.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Final, NamedTuple, final

#: What `dispatch_trace` hands its lines to.
Tracer = Callable[[str], object]


class Switches(NamedTuple):
    """What guards switch, each of them one thing."""

    #: Bits of the keys added to the key set of every call.
    included: int
    #: Bits of the keys that a call may have: all but the excluded ones.
    allowed: int
    #: Where each call is reported, if anywhere.
    tracer: Tracer | None = None
    #: Whether kernels are held to their schemas.
    checking: bool = False
    #: Operators and the keys at which their kernels are left out.
    disabled: frozenset[tuple[object, str]] = frozenset()
    #: Bits of the keys at which the modes and layers in force are called.
    stacked: int = 0


@final
class Setting:
    """What a state says about dispatch. Caches are kept per setting, by identity."""

    __slots__ = (
        "switches",
        "included",
        "allowed",
        "tracer",
        "checking",
        "python",
        "disabled",
        "lasting",
    )

    def __init__(self, switches: Switches, python: bool) -> None:
        #: What it is made of.
        self.switches: Final = switches
        #: Bits of the keys added to the key set of every call.
        self.included: Final = switches.included | switches.stacked
        #: Bits of the keys that a call may have: all but the excluded ones.
        self.allowed: Final = switches.allowed
        #: Where each call is reported, if anywhere.
        self.tracer: Final = switches.tracer
        #: Whether kernels are held to their schemas.
        self.checking: Final = switches.checking
        #: Operators and the keys at which their kernels are left out.
        self.disabled: Final = switches.disabled
        #: Whether the Python dispatcher comes before every other key.
        self.python: Final = python
        #: Whether handlers are kept for it. Those of others could not be: they would
        #: hold the tracer, or miss registrations that only other tables show.
        self.lasting: Final = switches.tracer is None and not switches.disabled

    def keys(self, brought: int) -> int:
        """Return the bits of a call whose arguments brought these keys."""
        return (brought | self.included) & self.allowed

    def disabled_keys(self, op: object) -> frozenset[str]:
        """Return the keys at which an operator's kernels are left out."""
        return frozenset(key for held, key in self.disabled if held is op)


@final
class ActiveStates:
    """Counts the live states other than the default; true while there are any."""

    __slots__ = ("_count", "_followers", "_lock", "_shown")

    def __init__(self) -> None:
        self._count = 0
        self._shown = False
        self._followers: Final[list[dict[str, Any]]] = []
        # A finalizer may run, and count, wherever this thread already holds it.
        self._lock: Final = RLock()

    def __bool__(self) -> bool:
        return self._count > 0

    def __len__(self) -> int:
        return self._count

    def follow(self, module: dict[str, Any]) -> bool:
        """Keep the global ``active`` of a module up to date; return its value now.

        A flag among a module's globals is the cheapest thing that code can ask.
        """
        with self._lock:
            self._followers.append(module)
            return self._shown

    def add(self) -> None:
        """Count a state that is about to be used."""
        with self._lock:
            self._count += 1
            self._show()

    def drop(self) -> None:
        """Count a state no more that nobody holds any longer."""
        with self._lock:
            self._count -= 1
            self._show()

    def _show(self) -> None:
        while self._shown is not (shown := self._count > 0):
            self._shown = shown
            for module in self._followers:
                # A finalizer has come in between and shown what is so since.
                if self._shown is not shown:
                    break
                module["active"] = shown


@final
class State:
    """A setting in force, linked to the state that its guard replaced."""

    __slots__ = (
        "setting",
        "parent",
        "owner",
        "modes",
        "layers",
        "below_mode",
        "below_layer",
        "_active",
    )

    #: What the state says.
    setting: Final[Setting]
    #: The state to go back to; None for the default state.
    parent: Final[State | None]
    #: The guard that made this state.
    owner: Final[object]
    #: The modes in force, the innermost last.
    modes: Final[tuple[Any, ...]]
    #: The layers of transforms that are being run, the innermost last.
    layers: Final[tuple[Any, ...]]
    #: This state without its innermost mode, and without its innermost layer, once
    #: somebody has asked. Neither refers to this one, so that it goes when it is left.
    below_mode: State | None
    below_layer: State | None

    def __init__(
        self,
        setting: Setting,
        parent: State | None = None,
        owner: object = None,
        active: ActiveStates | None = None,
        modes: tuple[Any, ...] = (),
        layers: tuple[Any, ...] = (),
    ) -> None:
        self.setting = setting
        self.parent = parent
        self.owner = owner
        self.modes = modes
        self.layers = layers
        self.below_mode = None
        self.below_layer = None
        self._active = active
        if active is not None:
            active.add()

    def __del__(self) -> None:
        if self._active is not None:
            self._active.drop()
