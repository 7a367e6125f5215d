"""Kernels at the autograd keys: they call the operator and record the call.

A kernel takes the arrays out of the Tensors of the innermost running transform that
its arguments belong to, or of none, calls the operator with what is in them, and gives
the result an edge to a `Node` that knows the formulas. It is compiled for each operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import NotDifferentiableError
from .. import tensor, views
from ..source import Parameter, arguments, compile_function, signature
from .backward import Backward
from .formulas import fact_name
from .inplace import check_in_place, rebase
from .node import Node, edge_to
from .plan import Plan

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Kernel = Callable[..., Any]


def derivative_kernel(op: OpOverload) -> Kernel:
    """Return the kernel of an operator's derivatives, as its YAML gives them."""
    return _KernelSource(Plan(op)).compile()


class _KernelSource:
    """The source of one kernel."""

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan
        self._schema: Final = plan.schema
        self._parameters: Final = plan.parameters
        self._arrays: Final = [p for p in plan.parameters if p.is_array]
        self._lists: Final = [p for p in plan.parameters if p.is_list]
        self._several: Final = len(plan.schema.returns) != 1

    def compile(self) -> Kernel:
        plan = self._plan
        op = plan.op
        real = Backward(plan, real=True) if plan.backward else None
        values: dict[str, Any] = {
            "op": op,
            "call": _direct(op),
            "Tensor": tensor.Tensor,
            "Node": Node,
            "level_of": _level_of,
            "items": _items,
            "edges_of": _edges_of,
            "likes_of": _likes_of,
            "fact": fact,
            "counted": _counted,
            "backward_of": None if real is None else _chooser(plan, real),
            "new": tensor.Tensor.__new__,
            "recorded": tensor.recorded,
            "note_view": views.note_view,
            "item_of": views.item_of,
            "give_memory": views.give_memory,
            "untracked": _untracked(op),
            "check_in_place": check_in_place,
            "rebase": rebase,
            "edge": edge_to,
            "zero": (0,),
            "counter_of": tensor.counter_of,
            "written": tensor.note_write,
            "edge_of": views.current_edge,
            "clone": ops.clone.default,
            "refuse_out": _refuse_out,
            "plainly": _plainly,
            "plain_view": _plain_view,
        }
        name = op.__name__
        made: Kernel = compile_function(
            name, self._lines(name, real), f"<keyslot {name} recorded>", values
        )
        return made

    def _lines(self, name: str, real: Backward | None) -> Iterator[str]:
        yield f"def {name}({signature(self._parameters)}):"
        for line in self._body(real):
            yield f"    {line}"

    def _body(self, real: Backward | None) -> Iterator[str]:
        schema = self._schema
        given = arguments(self._parameters, {})
        yield "level = -1"
        for p in self._arrays:
            yield f"t_{p.name} = isinstance({p.name}, Tensor)"
            yield f"if t_{p.name} and {p.name}.level > level:"
            yield f"    level = {p.name}.level"
        for p in self._lists:
            yield f"level = max(level, level_of({p.name}))"
        yield "if level < 0:"
        yield f"    return untracked({given})"
        yield "bits = 0"
        for p in self._arrays:
            yield from self._opened(p)
        for p in self._lists:
            yield f"v_{p.name} = items({p.name}, level)"
        yield from self._edges()
        if schema.is_out:
            yield "if bits:"
            yield "    refuse_out(op)"
        if schema.is_mutable and real is not None:
            yield from self._before_write(real)
        values = {p.name: f"v_{p.name}" for p in (*self._arrays, *self._lists)}
        yield f"result = call({arguments(self._parameters, values)})"
        if schema.is_mutable:
            yield from self._after_write(real)
        elif real is None:
            yield f"return {self._plain()}"
        else:
            yield from self._results(real)

    def _opened(self, p: Parameter) -> Iterator[str]:
        name = p.name
        tracked = p in self._plan.tracked
        yield f"if t_{name} and {name}.level == level:"
        if p.argument.alias is not None:
            yield f"    give_memory({name})"
        yield f"    v_{name} = {name}.value"
        if tracked:
            yield f"    e_{name} = {name}.edge if {name}.extra is None else edge_of({name})"
            yield f"    if e_{name} is not None:"
            yield f"        bits = {name}.bits"
        yield "else:"
        yield f"    v_{name} = {name}"
        if tracked:
            yield f"    e_{name} = None"

    def _edges(self) -> Iterator[str]:
        tracked = self._plan.tracked
        for p in tracked:
            if p.is_list:
                yield f"e_{p.name}, bits = edges_of({p.name}, level, bits)"
        names = [f"*e_{p.name}" if p.is_list else f"e_{p.name}" for p in tracked]
        yield f"edges = ({', '.join(names)},)" if names else "edges = ()"

    def _saved(self, real: Backward) -> Iterator[str]:
        """Yield the lines that put together what the node saves of the arguments."""
        for p in self._plan.tracked:
            value = f"v_{p.name}"
            like = f"({value}.shape, {value}.dtype)"
            if p.is_list:
                yield f"like_{p.name} = likes_of({value})"
            else:
                yield f"like_{p.name} = None if e_{p.name} is None else {like}"
        for parameter, name, attribute in real.facts:
            value = f"v_{parameter}"
            yield f"{fact_name(name, attribute)} = fact({value}, {attribute!r})"
        for p in real.arguments:
            if p.is_array:
                counter = f"({p.name}.counter or zero)[0] if t_{p.name} else -1"
                yield f"s_{p.name} = {p.name}"
                yield f"c_{p.name} = {counter}"
            else:
                yield f"s_{p.name} = {p.name}"

    def _node(self, real: Backward) -> Iterator[str]:
        saved = f"({', '.join(real.saved())},)"
        count = len(self._plan.results)
        yield (
            f"node = Node(backward_of(result), {saved}, edges, {self._plan.op.name!r},"
            f" {count})"
        )

    def _results(self, real: Backward) -> Iterator[str]:
        yield "if not bits:"
        yield f"    return {self._plain()}"
        yield from self._saved(real)
        if self._several or self._schema.returns[0].type.kind == "list":
            yield from self._several_results(real)
            return
        if not self._plan.differentiable[0]:
            yield f"return {self._plain()}"
            return
        yield "if result.dtype.kind not in 'fc':"
        yield f"    return {self._plain()}"
        yield "out = new(Tensor)"
        yield "out.bits = bits"
        yield "out.value = result"
        yield "out.level = level"
        yield "out.extra = None"
        viewed = self._viewed()
        yield (
            f"out.counter = {'[0]' if real.results else None}"
            if viewed is None
            else f"out.counter = counter_of({viewed}) if t_{viewed} else [0]"
        )
        for name in real.results:
            yield f"r_{name} = result"
            yield f"o_{name} = (out.counter, out.counter[0])"
        yield from self._node(real)
        yield "out.edge = node"
        if viewed is not None:
            yield f"if t_{viewed}:"
            yield f"    note_view(out, {viewed}, {self._step(viewed)})"
        yield "return out"

    def _several_results(self, real: Backward) -> Iterator[str]:
        viewed = self._viewed()
        yield f"counters = [counted({viewed}) for _ in result]"
        for n, name in enumerate(self._plan.results):
            if name in real.results:
                yield f"r_{name} = result[{n}]"
                yield f"o_{name} = (counters[{n}], counters[{n}][0])"
        yield from self._node(real)
        # A list may have one item, and is sent back as a list all the same.
        yield "node.results = max(len(result), 2)"
        yield "node.likes = [(r.shape, r.dtype) for r in result]"
        kinds = self._plan.differentiable if self._several else "True"
        yield f"kinds = {kinds!r}" if self._several else "kinds = (True,) * len(result)"
        listed = (
            "recorded(r, level, edge(node, n), bits, c)"
            " if kind and r.dtype.kind in 'fc' else plainly(r, level)"
            " for n, (r, c, kind) in enumerate(zip(result, counters, kinds))"
        )
        yield f"made = [{listed}]"
        if viewed is not None:
            yield f"if t_{viewed}:"
            yield f"    step = {self._step(viewed)}"
            yield "    for n, each in enumerate(made):"
            yield f"        note_view(each, {viewed}, item_of(step, n))"
        yield "return tuple(made)" if self._several else "return made"

    def _plain(self) -> str:
        """Return what a result is turned into where nothing is recorded."""
        viewed = self._viewed()
        if viewed is None:
            return "plainly(result, level)"
        # No gradient goes through a detached array, whatever is written to it.
        step = self._step(viewed) if self._plan.differentiable[0] else None
        return f"plain_view(result, level, {viewed}, {step})"

    def _step(self, viewed: str) -> str:
        """Return what makes the view of another array."""
        return f"lambda array: op({arguments(self._parameters, {viewed: 'array'})})"

    def _viewed(self) -> str | None:
        """Return the argument whose memory the result shares."""
        if not self._schema.is_view:
            return None
        marked = (p.name for p in self._arrays if p.argument.alias is not None)
        return next(marked, None)

    def _before_write(self, real: Backward) -> Iterator[str]:
        for p in self._written():
            if p.is_array:
                yield f"check_in_place(op, {p.argument.name!r}, {p.name}, level, bits)"
        if self._schema.is_out:
            return
        yield "if bits:"
        for line in self._saved(real):
            yield f"    {line}"
        for p in self._written():
            if p in real.arguments and p.is_array:
                # The formula means what was there before.
                yield f"    s_{p.name} = clone(v_{p.name})"
                yield f"    c_{p.name} = -1"

    def _after_write(self, real: Backward | None) -> Iterator[str]:
        for p in self._written():
            yield f"written({p.name})"
        written = [p.name for p in self._written()]
        first, *_ = written
        if not self._schema.is_out and real is not None:
            yield "if bits:"
            for name in real.results:
                yield f"    r_{name} = v_{first}"
                yield f"    o_{name} = ({first}.counter, {first}.counter[0])"
            for line in self._node(real):
                yield f"    {line}"
            tracked = [p.name for p in self._plan.tracked]
            place = tracked.index(first) if first in tracked else None
            yield f"    rebase({first}, node, bits, {place})"
        if not self._schema.returns:
            yield "return None"
        elif len(self._schema.returns) == 1:
            yield f"return {first}"
        else:
            yield f"return ({', '.join(written)})"

    def _written(self) -> list[Parameter]:
        return [p for p in self._parameters if p.argument.is_write]


def _direct(op: OpOverload) -> Kernel:
    """Return what calls an operator, without the cost of calling an instance."""
    found = type(op).__dict__.get("__call__")
    return found.__func__ if isinstance(found, staticmethod) else op


def _chooser(plan: Plan, real: Backward) -> Callable[[Any], Any]:
    """Return a function that chooses the backward function for results of a call."""
    held: list[Any] = [None]
    of_real = real.function

    def backward_of(result: Any) -> Any:
        first = result[0] if type(result) in (tuple, list) else result
        if first.dtype.kind != "c" and plan.schema.name not in _COMPLEX_INSIDE:
            return of_real
        if held[0] is None:
            held[0] = Backward(plan, real=False).function
        return held[0]

    return backward_of


#: Operators with real results of complex numbers.
_COMPLEX_INSIDE: Final = frozenset(("abs", "angle", "real", "imag", "view_as_real"))


def _untracked(op: OpOverload) -> Kernel:
    """Return what runs where no argument is a Tensor: the key is passed over."""

    def untracked(*args: Any, **kwargs: Any) -> Any:
        keys = op.keys_of(args, kwargs)
        below = type(keys).from_bits(keys.bits & ~tensor.AUTOGRAD)
        return op.redispatch(below, *args, **kwargs)

    return untracked


def _level_of(values: Any) -> int:
    levels = [v.level for v in values or () if isinstance(v, tensor.Tensor)]
    return max(levels, default=-1)


def _items(values: Any, level: int) -> Any:
    if values is None:
        return None
    return [
        v.value if isinstance(v, tensor.Tensor) and v.level == level else v
        for v in values
    ]


def _edges_of(values: Any, level: int, bits: int) -> tuple[list[Any], int]:
    edges: list[Any] = []
    for value in values or ():
        at_level = isinstance(value, tensor.Tensor) and value.level == level
        edge = value.current_edge if at_level else None
        edges.append(edge)
        if edge is not None:
            bits = value.bits
    return edges, bits


def fact(value: Any, attribute: str) -> Any:
    """Return the shape, dtype or rank of an argument; None of what has none."""
    if attribute == "ndim":
        return len(getattr(value, "shape", ()))
    return getattr(value, attribute, () if attribute == "shape" else None)


def _likes_of(values: Any) -> list[Any]:
    return [None if v is None else (v.shape, v.dtype) for v in values or ()]


def _counted(viewed: Any) -> list[int]:
    return tensor.counter_of(viewed) if isinstance(viewed, tensor.Tensor) else [0]


def _plainly(result: Any, level: int) -> Any:
    """Return a result through which no gradient goes."""
    if level > 0 or result is None:
        return result
    if type(result) in (tuple, list):
        return type(result)(_plainly(each, level) for each in result)
    return result if isinstance(result, tensor.Tensor) else tensor.Tensor(result)


def _plain_view(result: Any, level: int, source: Any, step: views.Step | None) -> Any:
    """Return a view through which no gradient goes as long as nothing is written."""
    if level > 0 or isinstance(result, tensor.Tensor):
        return result
    if type(result) is list:
        return views.wrap_views(result, source, step)
    return views.wrap_view(result, source, step)


def _refuse_out(op: OpOverload) -> None:
    raise NotDifferentiableError(op.name)
