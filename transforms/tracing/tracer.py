"""The tracer: a mode that records every call as a node of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import DISPATCHER
from ...kernels.shapes.spec import ArraySpec
from ...runtime.errors import NoShapeRuleError
from ...runtime.frames import frame_at, is_ours
from ...runtime.resolver import EXPLICIT, IMPLICIT
from ..arrays import is_array
from ..graph import Kind, Node
from ..layers import level_of
from ..meta import MetaTensor, find_rule, results
from ..modes import DispatchMode
from ..nested import is_nested, leaves, mapped
from ..tensor import Tensor
from .traced import TracedArray, TracedTensor, traced

if TYPE_CHECKING:
    from ...runtime.op import OpOverload
    from ...runtime.state import State

Kernel = Callable[..., Any]
_STATE: Final = DISPATCHER.state
_META: Final = "Meta"
#: Types of arguments that stand in a graph as they are.
_PLAIN: Final = frozenset((int, float, bool, complex, str, type(None)))
#: Stands for an operator that has not been met yet.
_UNKNOWN: Final = object()
#: Whether a code object belongs to keyslot rather than to its user.
_ours: Final[dict[CodeType, bool]] = {}


class Tracer(DispatchMode):
    """Records the calls of operators; each kind knows how results come about."""

    # It looks for decompositions of its own first.
    takes_composites = True

    def __init__(
        self, decompositions: Mapping[Any, Kernel], pre_dispatch: bool
    ) -> None:
        self.pre_dispatch = pre_dispatch  # type: ignore[misc]  # each has its own
        super().__init__()
        self.nodes: Final[list[Node]] = []
        self._decompositions: Final = decompositions
        #: What computes the results of each operator; None for those that are not
        #: recorded as they are.
        self._recorded: Final[dict[Any, Any]] = {}
        self._constants: Final[dict[int, Node]] = {}
        #: The state in which the program is traced; None once it has been.
        self._around: State | None = _STATE.get()

    def call(self, op: Any, types: tuple[type, ...], args: Any, kwargs: Any) -> Any:
        """Record a call, or what it is made of."""
        compute = self._recorded.get(op, _UNKNOWN)
        if compute is _UNKNOWN:
            compute = self._recorded[op] = self._find(op)
        if compute is None or (self.pre_dispatch and level_of(args, kwargs)):
            return self._in_parts(op, args, kwargs)
        given = tuple(
            [
                (
                    value.node
                    if type(value) is TracedTensor and value.tracer is self
                    else value if type(value) in _PLAIN else self._argument(value)
                )
                for value in args
            ]
        )
        named = {k: self._argument(v) for k, v in kwargs.items()} if kwargs else None
        return compute(op, args, kwargs, given, named)

    def _find(self, op: OpOverload) -> Kernel | None:
        """Return what records an operator, None where its parts are recorded."""
        if op in self._decompositions:
            return None
        if op.derived_from is not None and not self.records_derived(op):
            # It is made of another operator, and of copies into what it writes to.
            return None
        if IMPLICIT in op.dispatch_table.kernels and not self.pre_dispatch:
            return None
        return self.recorder(op)

    def records_derived(self, op: OpOverload) -> bool:
        """Whether a derived operator is recorded as it is.

        A functional one is: what it is made of writes to a copy, which is no way to
        get rid of a write.
        """
        return not op.schema.is_mutable

    def recorder(self, op: OpOverload) -> Kernel:
        """Return a function that computes the results of an operator and records it."""
        raise NotImplementedError

    def _in_parts(self, op: OpOverload, args: Any, kwargs: Any) -> Any:
        """Run what an operator is made of, and record that."""
        with self:
            if self.pre_dispatch and level_of(args, kwargs):
                keys = op.keys_of(args, kwargs).below("PreDispatch")
                return op.redispatch(keys, *args, **kwargs)
            decomposition = self._decompositions.get(op)
            if decomposition is not None:
                return decomposition(*args, **kwargs)
            if IMPLICIT in op.dispatch_table.kernels:
                return op.decompose(*args, **kwargs)
            return op.dispatch_table.kernels[EXPLICIT].load(op.name)(*args, **kwargs)

    def _argument(self, value: object) -> Any:
        """Return what stands in the graph for an argument."""
        value = _without_wrappers(value)
        kind = type(value)
        if kind in _PLAIN:
            return value
        if isinstance(value, (TracedTensor, TracedArray)) and value.tracer is self:
            return value.node
        if kind is list or kind is tuple:
            return mapped(value, self._argument)
        return self._constant(value) if is_array(value) else value

    def _constant(self, value: object) -> Node:
        found = self._constants.get(id(value))
        if found is None:
            found = Node(Kind.CONSTANT, (value,), None, value)
            self._constants[id(value)] = found
            self.nodes.append(found)
        return found

    def finish(self) -> None:
        """Let go of the state around the trace: it counts for as long as it lives."""
        self._around = None

    def output(self, value: Any) -> Any:
        """Return what stands in the graph for a result of the program."""
        return self._argument(value)

    def item(self, node: Node, index: int, spec: Any) -> Node:
        """Record one of several results."""
        made = Node(Kind.ITEM, (node, index), None, spec)
        self.nodes.append(made)
        return made


def _without_wrappers(value: Any) -> Any:
    """Return what is inside a Tensor that no running transform has made."""
    while isinstance(value, Tensor) and value.level == 0:
        value = value.value
    return value


def where() -> tuple[CodeType, int] | None:
    """Return where the program called, as a code object and a place in it."""
    frame: FrameType | None = frame_at(2)
    while frame is not None:
        code = frame.f_code
        ours = _ours.get(code)
        if ours is None:
            ours = _ours[code] = is_ours(frame)
        if not ours:
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def _rule_of(op: OpOverload) -> Kernel:
    """Return what makes shapes and dtypes of an operator's results.

    That is its shape rule, or a kernel at Meta; for a composite its parts make them.
    """
    if op.shape_rule is not None:
        return find_rule(op)
    kernels = op.dispatch_table.kernels
    if "Meta" in kernels:
        call: Kernel = op
    elif IMPLICIT in kernels:
        call = op.decompose
    else:
        raise NoShapeRuleError(op.name)

    def of_abstract(*args: Any, **kwargs: Any) -> Any:
        named = {name: mapped(value, _untraced) for name, value in kwargs.items()}
        return call(*mapped(args, _untraced), **named)

    return of_abstract


def _untraced(value: Any) -> Any:
    """Return a plain abstract array in the place of a traced one."""
    if isinstance(value, TracedTensor):
        return MetaTensor(value.shape, value.dtype, value.backend)
    return value


class AbstractTracer(Tracer):
    """Records calls whose results have no elements, only shapes and dtypes."""

    def records_derived(self, op: OpOverload) -> bool:
        return super().records_derived(op) and op.shape_rule is not None

    def recorder(self, op: OpOverload) -> Kernel:
        """Return a function that asks the shape rule of an operator.

        Raises NoShapeRuleError where it has none.
        """
        schema, rule = op.schema, _rule_of(op)
        nodes = self.nodes
        one = len(schema.returns) == 1 and schema.returns[0].type.base.name == "Tensor"
        simple = one and schema.returns[0].type.kind == "base" and not schema.is_mutable
        names = tuple(argument.name for argument in schema.positional)

        def record(op: Any, args: Any, kwargs: Any, given: Any, named: Any) -> Any:
            spec = rule(*args, **kwargs) if kwargs else rule(*args)
            node = Node(op, given, named, spec, where())
            nodes.append(node)
            if simple:
                return traced(spec, node, self)
            arguments = {**dict(zip(names, args, strict=True)), **kwargs}
            return results(schema, spec, arguments, self._results_of(node, spec))

        return record

    def _results_of(self, node: Node, spec: Any) -> Kernel:
        """Return what makes each result in turn."""

        def only(one: Any) -> TracedTensor:
            return traced(one, node, self)

        places = count()

        def each(one: Any) -> TracedTensor:
            return traced(one, self.item(node, next(places), one), self)

        return only if hasattr(spec, "shape") else each


def _spec_of(value: Any) -> Any:
    """Return shape and dtype of an array: a node does not keep the array alive."""
    return ArraySpec(tuple(value.shape), value.dtype) if is_array(value) else value


class RealTracer(Tracer):
    """Records calls and makes them."""

    def recorder(self, op: OpOverload) -> Kernel:
        """Return a function that calls the operator with what is in its arguments."""
        written = [a.name for a in op.schema.arguments if a.is_write]
        names = tuple(argument.name for argument in op.schema.positional)

        def record(op: Any, args: Any, kwargs: Any, given: Any, named: Any) -> Any:
            source = where()
            inner = {k: mapped(v, self._opened) for k, v in kwargs.items()}
            result = self._outside(op, mapped(args, self._opened), inner)
            if not (written or any(map(is_array, leaves((result,))))):
                # A question about an array, whose answer becomes part of the program.
                return result
            node = Node(op, given, named, mapped(result, _spec_of), source)
            self.nodes.append(node)
            if written:
                arguments = {**dict(zip(names, args, strict=True)), **kwargs}
                found = tuple(arguments[name] for name in written)
                results = len(op.schema.returns)
                return None if not results else found[0] if results == 1 else found
            return self._wrapped(result, node)

        return record

    def _outside(self, op: OpOverload, args: Any, kwargs: dict[str, Any]) -> Any:
        """Call an operator with arrays that may belong to layers around the trace."""
        around = self._around
        if around is None or not around.layers:
            return op(*args, **kwargs)
        token = _STATE.set(around)
        try:
            return op(*args, **kwargs)
        finally:
            _STATE.reset(token)

    def _opened(self, value: Any) -> Any:
        """Return the array inside what is traced here."""
        value = _without_wrappers(value)
        if type(value) is TracedArray and value.tracer is self:
            return value.value
        return value

    def _wrapped(self, result: Any, node: Node) -> Any:
        if is_nested(result):
            parts = [
                self._wrapped(one, self.item(node, n, mapped(one, _spec_of)))
                for n, one in enumerate(result)
            ]
            return parts if type(result) is list else tuple(parts)
        return TracedArray(result, node, self) if is_array(result) else result
