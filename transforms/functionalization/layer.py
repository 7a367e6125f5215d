"""The layer of `functionalize`: operators that write become operators that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import SPACE
from ...runtime.direct import load_at
from ...runtime.errors import NoFunctionalCompanionError
from ...runtime.resolver import EXPLICIT, IMPLICIT
from ..arrays import is_array
from ..layers import Findings, Layer, opened, outside
from .functional import FunctionalTensor, functional, functional_view
from .strided import AS_STRIDED, strided_view
from .view_step import ViewStep
from .writes import Write, companion_of

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.state import State
    from ...runtime.table import DispatchTable

Kernel = Callable[..., Any]
_FUNCTIONALIZE: Final = "Functionalize"
_PLACE: Final = SPACE.index(_FUNCTIONALIZE)


def _find(
    op: OpOverload, table: DispatchTable, state: State, bits: int
) -> tuple[Kernel | None, Write | None]:
    """Return a kernel that is called in this layer, or what an operator that writes is.

    Neither is there for an operator that is called as it is.
    """
    del bits  # there is one key of functionalization
    if table.kernel(_PLACE) is not None:
        return load_at(op, state.setting, _FUNCTIONALIZE), None
    composite = table.kernels.get(IMPLICIT)
    if composite is None and op.schema.is_mutable:
        try:
            return None, Write(op, companion_of(op))
        except NoFunctionalCompanionError:
            composite = table.kernels.get(EXPLICIT)
            if composite is None:
                raise
    return composite and composite.load(op.name), None


class FunctionalizeLayer(Layer):
    """A running `functionalize`."""

    name = "functionalize"
    _found: Final = Findings(_find)

    def __init__(self, copies_views: bool) -> None:
        super().__init__()
        self._copies_views: Final = copies_views

    def wrap(self, value: Any) -> FunctionalTensor:
        """Return an array as one that can be written to."""
        return functional(value, self.level)

    def call(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call an operator that does not write, and keep account of what is written.

        Raises NoFunctionalCompanionError and FunctionalWriteError.
        """
        kernel, write = self._found.get(op, state)
        if kernel is not None:
            return kernel(*args, **kwargs)
        if write is not None:
            return outside(state, self._write, (write, args, kwargs), {})
        call = self._view if op.schema.is_view else self._compute
        return outside(state, call, (op, args, kwargs), {})

    def call_foreign(
        self,
        op: OpOverload,
        bits: int,
        state: State,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call an operator as it is; what it has made may be written to from now on."""
        result = outside(state, op, args, kwargs)
        schema = op.schema
        return result if schema.is_view or schema.is_mutable else self._wrapped(result)

    def _compute(
        self, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        level = self.level
        return self._wrapped(op(*opened(args, level), **opened(kwargs, level)))

    def _wrapped(self, result: Any) -> Any:
        if type(result) in (list, tuple):
            return type(result)(self._wrapped(one) for one in result)
        if not is_array(result):
            return result
        return functional(result, self.level)

    def _write(
        self, write: Write, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        level = self.level
        named = write.named(args, kwargs)
        results = write.call(opened(named, level), level)
        left = write.store(named, results, level)
        return write.returned(named, [self._wrapped(result) for result in left])

    def _view(
        self, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        level = self.level
        place = next(n for n, a in enumerate(op.schema.positional) if a.alias)
        source, rest = args[place], (*args[:place], *args[place + 1 :])
        if not isinstance(source, FunctionalTensor) or source.level != level:
            # A view of an array from outside, which is written to as ever.
            return op(*opened(args, level), **opened(kwargs, level))
        if op.name == AS_STRIDED:
            root, strided = strided_view(op, source, rest, self._copies_views)
            return functional_view(strided.make(root.value), root, strided)
        form = op, place, opened(rest, level), opened(kwargs, level), self._copies_views
        step = ViewStep(*form)
        made = step.make(source.value)
        if type(made) not in (list, tuple):
            return functional_view(made, source, step)
        return type(made)(
            functional_view(one, source, ViewStep(*form, piece))
            for piece, one in enumerate(made)
        )
