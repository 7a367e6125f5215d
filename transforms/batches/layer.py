"""The layer of `vmap`: what each operator does to a batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import SPACE
from ...runtime.direct import load_at
from ...runtime.errors import RandomnessError, VmapError
from ...runtime.frames import user_line
from ...runtime.resolver import EXPLICIT, IMPLICIT
from ..batching import loop, missing_rule
from ..batching.call import Randomness
from ..layers import Findings, Layer, level_of, outside
from .batched import BatchedTensor, batched
from .kernel import BatchingKernel

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.state import State
    from ...runtime.table import DispatchTable

Kernel = Callable[..., Any]
#: The tag of operators that draw random numbers.
_RANDOM: Final = "nondeterministic_seeded"
_BATCHED: Final = "Batched"
_PLACE: Final = SPACE.index(_BATCHED)


class LoopWarning(UserWarning):
    """An operator without a batching rule was called once for each item."""


def _find(
    op: OpOverload, table: DispatchTable, state: State, bits: int
) -> Kernel | None:
    """Return the kernel of batches, or the composite that an operator is."""
    del bits  # there is one key of batches
    if table.kernel(_PLACE) is not None:
        return load_at(op, state.setting, _BATCHED)
    for alias in (IMPLICIT, EXPLICIT):
        composite = table.kernels.get(alias)
        if composite is not None:
            kernel: Kernel = composite.load(op.name)
            return kernel
    return None


class VmapLayer(Layer):
    """A running `vmap`."""

    name = "vmap"
    _kernels: Final = Findings(_find)
    _warned: Final[set[OpOverload]] = set()

    def __init__(self, size: Any, randomness: Randomness, may_loop: bool) -> None:
        super().__init__()
        #: How many items the batch has.
        self.size: Final = size
        self._randomness: Final = randomness
        self._may_loop: Final = may_loop

    def wrap(self, value: Any) -> BatchedTensor:
        """Return a batch, whose first dimension is that of items, as one item."""
        return batched(value, self.level)

    def call(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Apply the batching rule of an operator, or what it is made of.

        Raises NoBatchingRuleError where there is neither, unless loops are allowed.
        """
        kernel = self._kernels.get(op, state)
        if isinstance(kernel, BatchingKernel):
            return outside(state, self._apply, (kernel, args, kwargs), {})
        if kernel is not None:
            return kernel(*args, **kwargs)
        if not self._may_loop:
            raise missing_rule(op)
        self._warn(op)
        looping = BatchingKernel(op, loop, ())
        return outside(state, self._apply, (looping, args, kwargs), {})

    def call_foreign(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Draw random numbers: once for all items, or for each of them.

        Other operators do the same for all items.

        Raises RandomnessError where `vmap` has not been told which.
        """
        if _RANDOM not in op.tags:
            return outside(state, op, args, kwargs)
        if self._randomness == "error":
            raise RandomnessError(op.name)
        if self._randomness == "same":
            return outside(state, op, args, kwargs)
        return self.call(op, bits, state, args, kwargs)

    def call_below(
        self,
        op: OpOverload,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call an operator for all items, if no argument differs among them.

        Raises VmapError where one does: nobody says then what a result is a batch of.
        """
        if level_of(args, kwargs) == self.level:
            raise VmapError(
                f"a kernel of {op.name} has called on below its key with a batch, and"
                " whether the result is one cannot be told; call operators at the"
                " top, or"
                " register a rule with batching_rule"
            )
        return super().call_below(op, state, args, kwargs)

    def _apply(
        self, kernel: BatchingKernel, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return kernel.apply(self.level, self.size, self._randomness, args, kwargs)

    def _warn(self, op: OpOverload) -> None:
        if op in self._warned:
            return
        self._warned.add(op)
        line = user_line()
        warnings.warn_explicit(
            f"{op.name} has no batching rule: it is called {self.size} times, once for"
            " each item. Name a rule in its YAML entry, under 'batching', or register"
            " one with keyslot.transforms.batching_rule",
            LoopWarning,
            line.file,
            line.line,
        )
