"""The state of each thread in one key space, and the guards that change it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Final, Protocol

from .backends import BackendNames
from .guards import Content, Guard, Snapshot
from .space import KeySpace, NamedKey, bit_if_any
from .state import ActiveStates, Setting, State, Switches, Tracer

Key = str | NamedKey

#: The key above all others; what it does is not a kernel but a setting of the state.
PYTHON_DISPATCHER: Final = "PythonDispatcher"


class StackedKeys(Protocol):
    """A mode, or a layer of a transform."""

    @property
    def stacked_bits(self) -> int:
        """Bits of the keys at which it is called."""
        ...

    def entered(self, switches: Switches) -> Switches:
        """Return what guards switch once it is the innermost one."""
        ...

    def left(self, switches: Switches) -> Switches:
        """Return what they switch where it is taken off for a call."""
        ...


#: Modes or layers, the innermost last.
Stack = tuple[StackedKeys, ...]


class DispatchState:
    """What calls of a thread or task have beside their arguments."""

    def __init__(self, space: KeySpace, backends: BackendNames) -> None:
        #: The key space.
        self.space: Final = space
        #: Backends by the names that users give them.
        self.backends: Final = backends
        #: True while any thread or task has a state other than the default.
        self.active: Final = ActiveStates()
        self._settings: Final[dict[Switches, Setting]] = {}
        self._python_bit: Final = bit_if_any(space, PYTHON_DISPATCHER)
        #: Bits of the keys that can be dispatched to: all but the Python dispatcher.
        self.dispatch_bits: Final = space.all_bits & ~self._python_bit
        included, excluded = space.bits(space.included), space.bits(space.excluded)
        #: The setting of the default state.
        self.default: Final = self.setting(
            Switches(included, space.all_bits & ~excluded)
        )
        default = State(self.default)
        #: The state of the current thread or task.
        self.state: Final[ContextVar[State]] = ContextVar(
            f"keyslot state of {space.name}", default=default
        )

    def setting(self, switches: Switches) -> Setting:
        """Return the setting of these switches, the same object for the same ones."""
        found = self._settings.get(switches)
        if found is None:
            python = switches.included & switches.allowed & self._python_bit
            found = Setting(switches, bool(python))
            if found.lasting:
                found = self._settings.setdefault(switches, found)
        return found

    def key_names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the keys of a set, highest first."""
        keys = self.space.keys
        held = (n for n in range(bits.bit_length(), 0, -1) if bits >> n - 1 & 1)
        return tuple(keys[n] for n in held)

    def state_keys(self, setting: Setting) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the keys that a setting adds to calls, and takes away."""
        return (
            self.key_names(setting.included & setting.allowed),
            self.key_names(self.space.all_bits & ~setting.allowed),
        )

    def key_bits(self, keys: Iterable[Key]) -> int:
        """Return the bits of keys; a backend's name means all its runtime keys."""
        bits = 0
        for key in keys:
            name = self.backends.key(key)
            backend = name in self.space.backends
            bits |= self.space.bits(
                self.space.backend_keys(name) if backend else (name,)
            )
        return bits

    def include_keys(self, *keys: Key) -> Guard:
        """Return a guard under which every call has these keys in its key set.

        A backend stands for all its runtime keys, an alias key for what it expands to.
        """
        bits = self.key_bits(keys)
        return self.guard(
            lambda old: old._replace(
                included=old.included | bits, allowed=old.allowed | bits
            ),
            "include_keys",
            keys,
        )

    def exclude_keys(self, *keys: Key) -> Guard:
        """Return a guard under which no call has these keys in its key set.

        A backend stands for all its runtime keys, an alias key for what it expands to.
        """
        bits = self.key_bits(keys)
        return self.guard(
            lambda old: old._replace(allowed=old.allowed & ~bits),
            "exclude_keys",
            keys,
        )

    def below_autograd(self) -> Guard:
        """Return a guard that excludes all autograd keys, as ``no_grad`` code does."""
        return self.exclude_keys("Autograd")

    def enable_python_dispatcher(self) -> Guard:
        """Return a guard under which the Python dispatcher comes before every key."""
        return self.include_keys(PYTHON_DISPATCHER)

    def disable_python_dispatcher(self) -> Guard:
        """Return a guard under which the Python dispatcher is off."""
        return self.exclude_keys(PYTHON_DISPATCHER)

    def dispatch_trace(self, write: Tracer | None = None) -> Guard:
        """Return a guard under which every call is reported, one line each.

        ``write`` takes the lines; by default they are printed to standard error.
        """
        tracer = write or _print_line
        return self.guard(lambda old: old._replace(tracer=tracer), "dispatch_trace")

    def check_kernels(self) -> Guard:
        """Return a guard under which kernels are held to their schemas.

        A kernel that returns another number of values, writes to an argument that is
        not marked as written, or returns memory that the schema does not say it
        shares, raises KernelCheckError. For debugging: arguments are copied. A kernel
        that `kernel_for` handed out is called without the dispatcher, and unchecked.
        """
        return self.guard(lambda old: old._replace(checking=True), "check_kernels")

    def snapshot(self) -> Snapshot:
        """Return the state of this thread or task, to be restored on another one."""
        return Snapshot(self.state, self.active)

    def guard(
        self,
        change: Callable[[Switches], Switches],
        name: str,
        keys: tuple[Key, ...] = (),
    ) -> Guard:
        """Return a guard that changes the switches; ``keys`` are those it was given."""
        names = (key if isinstance(key, str) else key.name for key in keys)
        text = f"{name}({', '.join(names)})"
        return Guard(
            self.state,
            self.active,
            lambda old: Content(
                self.setting(change(old.setting.switches)), old.modes, old.layers
            ),
            text,
        )

    def push_mode(self, mode: StackedKeys) -> Guard:
        """Return a guard under which a mode is called before those outside it."""
        return self._push(lambda old: ((*old.modes, mode), old.layers), mode)

    def push_layer(self, layer: StackedKeys) -> Guard:
        """Return a guard under which a layer of a transform is the innermost one."""
        return self._push(lambda old: (old.modes, (*old.layers, layer)), layer)

    def _push(
        self, push: Callable[[State], tuple[Stack, Stack]], pushed: StackedKeys
    ) -> Guard:
        def change(old: State) -> Content:
            content = self._stacked(old, *push(old))
            switches = content.setting.switches
            # Whatever was excluded before: the newest comes into force.
            allowed = switches.allowed | pushed.stacked_bits
            switches = pushed.entered(switches._replace(allowed=allowed))
            return content._replace(setting=self.setting(switches))

        return Guard(self.state, self.active, change, repr(pushed))

    def without_mode(self, state: State, place: int) -> State:
        """Return a state without one of its modes, for as long as that runs."""
        innermost = place == len(state.modes) - 1
        if innermost and state.below_mode is not None:
            return state.below_mode
        modes = state.modes[:place] + state.modes[place + 1 :]
        content = self._stacked(state, modes, state.layers)
        made = self._passing(content, state.modes[place])
        if innermost:
            state.below_mode = made
        return made

    def below_layer(self, state: State) -> State:
        """Return a state without its innermost layer."""
        below = state.below_layer
        if below is None:
            *outer, layer = state.layers
            content = self._stacked(state, state.modes, tuple(outer))
            below = state.below_layer = self._passing(content, layer)
        return below

    def _passing(self, content: Content, left: StackedKeys) -> State:
        """Return a state that is in force while one kernel runs."""
        old, modes, layers = content
        setting = self.setting(left.left(old.switches))
        return State(setting, None, None, self.active, modes, layers)

    def _stacked(self, old: State, modes: Stack, layers: Stack) -> Content:
        bits = 0
        for one in (*modes, *layers):
            bits |= one.stacked_bits
        switches = old.setting.switches._replace(stacked=bits)
        return Content(self.setting(switches), modes, layers)


def _print_line(line: str) -> None:
    print(line, file=sys.stderr)
