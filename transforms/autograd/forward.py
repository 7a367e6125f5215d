"""Forward mode: values together with how they change along one direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.direct import load_at
from ...runtime.errors import InPlaceError, NotDifferentiableError
from ..arrays import converted
from ..derivatives import conj
from ..layers import LAYER_BITS, Findings, level_of, opened
from ..nested import is_nested
from ..tensor import (
    Extra,
    Tensor,
    autograd_bits,
    backend_bits,
    counter_of,
    note_write,
    version_of,
)
from ..views import give_memory, item_of, note_view, with_memory
from .forward_formulas import backward_formula, forward_formula, zeros_like
from .inplace import OUTSIDE
from .layer import DerivativeLayer
from .plan import GRAD, Plan
from .transpose import transposed

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.state import State
    from ...runtime.table import DispatchTable

Kernel = Callable[..., Any]
#: What YAML says where the result is linear in the arguments, and where each element
#: of it depends on the same element of the arguments alone.
LINEAR: Final = "auto_linear"
ELEMENT_WISE: Final = "auto_element_wise"


class DualTensor(Tensor):
    """A value and its tangent, the derivative along the direction in question."""

    __slots__ = ("tangent",)

    tangent: Any


def _find(
    op: OpOverload, table: DispatchTable, state: State, bits: int
) -> tuple[Kernel, bool]:
    """Return the kernel of forward mode, or the composite that an operator is."""
    place = bits.bit_length()
    kernel = table.kernel(place)
    if kernel is None or kernel.is_fallthrough:
        return _refusing(op), True
    if kernel.records:
        return forward_kernel(op), True
    return load_at(op, state.setting, op.dispatcher.space.keys[place]), False


class JvpLayer(DerivativeLayer):
    """Carries tangents along with its Tensors."""

    name = "jvp"
    kernels = Findings(_find)

    def wrap(self, value: Any, tangent: Any) -> DualTensor:
        """Return a value with a tangent as a Tensor of this level."""
        return dual(value, tangent, self.level)


def dual(value: Any, tangent: Any, level: int) -> DualTensor:
    """Return a value with its tangent as a Tensor of a level."""
    made = DualTensor.__new__(DualTensor)
    plain = backend_bits(value)
    made.bits = plain | autograd_bits(plain) | LAYER_BITS
    made.value = value
    made.level = level
    made.edge = None
    made.counter = None
    made.extra = None
    made.tangent = tangent
    return made


def forward_kernel(op: OpOverload) -> Kernel:
    """Return what an operator does with values that have tangents."""
    return _ForwardKernel(Plan(op))


def _refusing(op: OpOverload) -> Kernel:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        raise NotDifferentiableError(op.name)

    return refuse


class _ForwardKernel:
    """Calls an operator with values, and computes the tangents of its results."""

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan
        self._op: Final = plan.op
        self._names: Final = [a.name for a in plan.schema.positional]
        self._written: Final = [a.name for a in plan.schema.arguments if a.is_write]
        #: Arguments whose memory results share, or that are written to.
        self._shared: Final = [
            a.name for a in plan.schema.arguments if a.alias is not None
        ]
        self._formulas: Final[dict[Any, Kernel]] = {}

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        level = level_of(args, kwargs)
        named = {**dict(zip(self._names, args, strict=True)), **kwargs}
        tangents = {k: _tangent(v, level) for k, v in named.items()}
        tangents = {k: t for k, t in tangents.items() if t is not None}
        for name in self._shared:
            give_memory(named[name])
        values = {k: opened(v, level) for k, v in named.items()}
        before = dict(values)
        if self._written:
            self._check_written(named, level, bool(tangents))
            for name in self._written:
                before[name] = ops.clone(values[name])
        inner = [values[name] for name in self._names]
        result = self._op(*inner, **{k: values[k] for k in kwargs})
        several = len(self._plan.results) > 1
        results = result if several else (result,)
        made = [
            self._with_tangent(n, results, before, tangents, level)
            for n in range(len(results))
        ]
        if self._written:
            return self._after_write(named, made, several)
        if self._plan.schema.is_view:
            self._note_views(named, made)
        return tuple(made) if several else made[0]

    def _note_views(self, named: Mapping[str, Any], made: list[Any]) -> None:
        """Let results know of what they are views, and how they are made of it."""
        (name,) = [a.name for a in self._plan.schema.arguments if a.alias is not None]
        source = named[name]
        if not isinstance(source, DualTensor):
            return
        for one, place in _places(made):
            if isinstance(one, DualTensor):
                one.counter = counter_of(source)
                step = self._step(named, name)
                note_view(one, source, step if place is None else item_of(step, place))

    def _step(self, named: Mapping[str, Any], name: str) -> Kernel:
        def step(array: Any) -> Any:
            given = {**named, name: array}
            positional = [given[known] for known in self._names]
            rest = {k: v for k, v in given.items() if k not in self._names}
            return self._op(*positional, **rest)

        return step

    def _with_tangent(
        self,
        n: int,
        results: Any,
        values: Mapping[str, Any],
        tangents: Mapping[str, Any],
        level: int,
    ) -> Any:
        value = results[n]
        if not tangents or not self._plan.differentiable[n]:
            return value
        if is_nested(value):
            found = self._tangent_of(n, results, values, tangents)
            return [dual(v, t, level) for v, t in zip(value, found, strict=True)]
        if value.dtype.kind not in "fc":
            return value
        tangent = self._tangent_of(n, results, values, tangents)
        if tangent is None:
            return value
        tangent = converted(tangent, value.dtype)
        # Tuples of any lengths are compared size by size, and sizes may be symbolic.
        ranks_differ = len(tangent.shape) != len(value.shape)
        if ranks_differ or tuple(tangent.shape) != tuple(value.shape):
            tangent = ops.expand(tangent, list(value.shape))
        return dual(value, tangent, level)

    def _tangent_of(
        self,
        n: int,
        results: Any,
        values: Mapping[str, Any],
        tangents: Mapping[str, Any],
    ) -> Any:
        text = self._plan.forward.get(self._plan.results[n])
        named = dict(zip(self._plan.results, results, strict=True))
        if text == LINEAR:
            return self._linear(values, tangents, n)
        if text == ELEMENT_WISE:
            return self._element_wise(values, tangents, named)
        if text is None:
            return transposed(self._plan, n, results, values, tangents)
        missing = frozenset(self._plan.arrays - tangents.keys())
        key = (n, missing)
        if key not in self._formulas:
            self._formulas[key] = forward_formula(self._plan, text, missing)
        return self._formulas[key](values, tangents, named)

    def _linear(
        self, values: Mapping[str, Any], tangents: Mapping[str, Any], n: int
    ) -> Any:
        # Linear in the arguments that have gradients: others, such as an index, stay.
        arrays = {p.argument.name for p in self._plan.tracked}
        given = {
            name: (
                tangents[name]
                if name in tangents
                else zeros_like(value) if name in arrays else value
            )
            for name, value in values.items()
        }
        positional = [given[name] for name in self._names]
        keyword_only = {k: v for k, v in given.items() if k not in self._names}
        found = self._op(*positional, **keyword_only)
        return found[n] if len(self._plan.results) > 1 else found

    def _element_wise(
        self,
        values: Mapping[str, Any],
        tangents: Mapping[str, Any],
        results: Mapping[str, Any],
    ) -> Any:
        total: Any = None
        for part in self._plan.backward:
            (name,) = part.arguments
            if name not in tangents:
                continue
            key = ("element", name)
            if key not in self._formulas:
                self._formulas[key] = backward_formula(self._plan, part.text)
            grad = conj(tangents[name])
            term = conj(self._formulas[key]({**values, **results, GRAD: grad}))
            total = term if total is None else ops.add(total, term)
        return total

    def _check_written(
        self, named: Mapping[str, Any], level: int, has_tangents: bool
    ) -> None:
        for name in self._written:
            target = named[name]
            at_level = isinstance(target, Tensor) and target.level == level
            if has_tangents and not at_level:
                raise InPlaceError(self._op.name, name, f"it has no tangent, {OUTSIDE}")

    def _after_write(
        self, named: Mapping[str, Any], made: list[Any], several: bool
    ) -> Any:
        targets = [named[name] for name in self._written]
        for target, one in zip(targets, made, strict=False):
            note_write(target)
            if isinstance(target, DualTensor) and isinstance(one, DualTensor):
                _replace_tangent(target, one.tangent)
        if not self._plan.schema.returns:
            return None
        return tuple(targets) if several else targets[0]


def current_tangent(tensor: DualTensor) -> Any:
    """Return the tangent of a Tensor that may be a view of one that has changed."""
    extra = tensor.extra
    if extra is None or extra.base is None:
        return tensor.tangent
    if extra.version != version_of(tensor):
        _make_anew(tensor, extra)
    return tensor.tangent


def _make_anew(view: DualTensor, extra: Extra) -> None:
    base, replay = extra.base, extra.replay
    assert isinstance(base, DualTensor)  # a view has a tangent where its base has one
    assert replay is not None
    view.tangent = replay(base.tangent)
    extra.version = version_of(view)


def _replace_tangent(tensor: DualTensor, tangent: Any) -> None:
    """Give a Tensor that was changed in place its new tangent, and its base too.

    Nothing is written to the old tangent, which may be the caller's own array.
    """
    extra = tensor.extra
    if extra is None or extra.base is None:
        tensor.tangent = tangent
        return
    base, replay = extra.base, extra.replay
    assert isinstance(base, DualTensor)
    assert replay is not None
    whole = with_memory(ops.clone(base.tangent))
    ops.copy_(replay(whole), tangent)
    base.tangent = whole
    _make_anew(tensor, extra)


def _places(made: list[Any]) -> Iterator[tuple[Any, int | None]]:
    """Yield each result, and its place in a list of results if it is in one."""
    for one in made:
        if is_nested(one):
            yield from ((item, place) for place, item in enumerate(one))
        else:
            yield one, None


def _tangent(value: Any, level: int) -> Any:
    """Return the tangent of an argument; for a list those of its items."""
    if isinstance(value, DualTensor):
        return current_tangent(value) if value.level == level else None
    if type(value) in (list, tuple):
        found = [_tangent(item, level) for item in value]
        if all(one is None for one in found):
            return None
        return [
            zeros_like(item) if one is None else one
            for item, one in zip(value, found, strict=True)
        ]
    return None
