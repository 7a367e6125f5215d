"""The source of the kernels that record calls.

A kernel takes the arrays out of the Tensors of the innermost running transform that
its arguments belong to, or of none, calls the operator with what is in them, and gives
the result an edge to a `Node`. In the source ``a0`` is an argument, ``t_a0`` whether it
is a Tensor, ``v_a0`` the array in it, ``e_a0`` its edge; ``s_a0`` is what is saved of
it, ``c_a0`` how often that had been written to, ``like_a0`` its shape and dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..source import Parameter, arguments, signature
from .backward import Backward
from .formulas import fact_name
from .plan import Plan


class KernelSource:
    """The lines of one kernel."""

    def __init__(self, plan: Plan, backward: Backward | None) -> None:
        self._plan: Final = plan
        #: The gradients for real numbers, which say what is saved; None where the
        #: operator has none at all.
        self._backward: Final = backward
        self._schema: Final = plan.schema
        self._parameters: Final = plan.parameters
        self._arrays: Final = [p for p in plan.parameters if p.is_array]
        self._lists: Final = [p for p in plan.parameters if p.is_list]
        self._several: Final = len(plan.schema.returns) != 1

    def lines(self, name: str) -> Iterator[str]:
        """Yield the source of the function, which is called ``name``."""
        yield f"def {name}({signature(self._parameters)}):"
        for line in self._body():
            yield f"    {line}"

    def _body(self) -> Iterator[str]:
        yield from self._level()
        yield "bits = 0"
        for p in self._arrays:
            yield from self._opened(p)
        for p in self._lists:
            yield f"v_{p.name} = items({p.name}, level)"
        yield from self._edges()
        if self._schema.is_mutable:
            yield from self._before_write()
        values = {p.name: f"v_{p.name}" for p in (*self._arrays, *self._lists)}
        yield f"result = call({arguments(self._parameters, values)})"
        if self._schema.is_mutable:
            yield from self._after_write()
        else:
            yield from self._results()

    def _level(self) -> Iterator[str]:
        """Yield the lines that find the innermost transform of the arguments."""
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

    def _opened(self, p: Parameter) -> Iterator[str]:
        name = p.name
        tracked = p in self._plan.tracked
        yield f"if t_{name} and {name}.level == level:"
        if p.argument.alias is not None:
            yield f"    give_memory({name})"
        yield f"    v_{name} = {name}.value"
        if tracked:
            yield f"    e_{name} = {name}.edge"
            yield f"    if {name}.extra is not None:"
            found = "edge_of_written" if p.argument.is_write else "edge_of"
            yield f"        e_{name} = {found}({name})"
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
                yield from self._saved_array(p, real.users(p))
            else:
                yield f"s_{p.name} = {p.name}"

    def _saved_array(
        self, p: Parameter, users: list[Parameter] | None
    ) -> Iterator[str]:
        """Yield the lines that save an argument, where a gradient needs its elements.

        What is not needed may change, and need not be kept.
        """
        counter = f"({p.name}.counter or zero)[0] if t_{p.name} else -1"
        if users is None:
            yield f"s_{p.name} = {p.name}"
            yield f"c_{p.name} = {counter}"
            return
        asked = " or ".join(
            f"any(e_{user.name})" if user.is_list else f"e_{user.name} is not None"
            for user in users
        )
        yield f"if {asked}:"
        yield f"    s_{p.name} = {p.name}"
        yield f"    c_{p.name} = {counter}"
        yield "else:"
        yield f"    s_{p.name}, c_{p.name} = None, -1"

    def _node(self, real: Backward) -> Iterator[str]:
        """Yield the lines that make the node, with formulas for numbers of its kind."""
        saved = f"({', '.join(real.saved())},)"
        made = f"{saved}, edges, {self._plan.op.name!r}, {len(self._plan.results)}"
        yield f"if {self._is_complex()}:"
        yield f"    node = Node(gradients.complex, {made})"
        yield "else:"
        yield f"    node = Node(real, {made})"

    def _is_complex(self) -> str:
        """Return the condition that an argument or a result is complex."""
        several = len(self._plan.results) != 1 or self._returns_list
        asked = ["any_complex(result)" if several else "result.dtype.kind == 'c'"]
        for p in self._plan.tracked:
            value = f"v_{p.name}"
            if p.is_list:
                asked.append(f"any_complex({value})")
            else:
                asked.append(f"(e_{p.name} is not None and {value}.dtype.kind == 'c')")
        return " or ".join(asked)

    @property
    def _returns_list(self) -> bool:
        returns = self._schema.returns
        return len(returns) == 1 and returns[0].type.kind == "list"

    def _results(self) -> Iterator[str]:
        real = self._backward
        if real is None:
            yield f"return {self._plain()}"
            return
        yield "if not bits:"
        yield f"    return {self._plain()}"
        yield from self._saved(real)
        if self._several or self._returns_list:
            yield from self._several_results(real)
        else:
            yield from self._one_result(real)

    def _one_result(self, real: Backward) -> Iterator[str]:
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
        yield f"out.counter = {self._counter(real)}"
        for name in real.results:
            yield f"r_{name} = result"
            yield f"o_{name} = (out.counter, out.counter[0])"
        yield from self._node(real)
        yield "out.edge = node"
        viewed = self._viewed()
        if viewed is not None:
            yield f"if t_{viewed}:"
            yield f"    note_view(out, {viewed}, {self._step(viewed)})"
        yield "return out"

    def _counter(self, real: Backward) -> str:
        """Return the count of writes of the result: most need none yet."""
        viewed = self._viewed()
        if viewed is not None:
            return f"counter_of({viewed}) if t_{viewed} else [0]"
        return "[0]" if real.results else "None"

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

    def _before_write(self) -> Iterator[str]:
        if self._schema.is_out:
            yield "if bits:"
            yield "    refuse_out(op)"
        real = self._backward
        if real is None:
            return
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

    def _after_write(self) -> Iterator[str]:
        for p in self._written():
            yield f"written({p.name})"
        written = [p.name for p in self._written()]
        if not self._schema.is_out and self._backward is not None:
            yield "if bits:"
            for line in self._rebased(self._backward, written[0]):
                yield f"    {line}"
        if not self._schema.returns:
            yield "return None"
        elif len(self._schema.returns) == 1:
            yield f"return {written[0]}"
        else:
            yield f"return ({', '.join(written)})"

    def _rebased(self, real: Backward, first: str) -> Iterator[str]:
        """Yield the lines that make what was written to the result of the node."""
        for name in real.results:
            yield f"r_{name} = v_{first}"
            yield f"o_{name} = ({first}.counter, {first}.counter[0])"
        yield from self._node(real)
        tracked = [p.name for p in self._plan.tracked]
        place = tracked.index(first) if first in tracked else None
        yield f"rebase({first}, node, bits, {place})"

    def _written(self) -> list[Parameter]:
        return [p for p in self._parameters if p.argument.is_write]
