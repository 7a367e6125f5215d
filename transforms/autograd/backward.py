"""The function of a node: from gradients of results to those of arguments, compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from ... import generated as ops
from ...runtime.errors import ChangedValueError
from ..source import Parameter, compile_function
from ..tensor import recorded, version_of
from .conform import conform
from .formulas import fact_name
from .plan import GRAD, GRADS, Part, Plan, needed

Function = Callable[[Any, Any, bool], Any]


class Backward:
    """How the gradients of one operator are computed, real or complex."""

    def __init__(self, plan: Plan, real: bool) -> None:
        self.plan: Final = plan
        self._parts: Final = [*plan.expressions(real)]
        #: The arguments and results that the formulas need.
        self.arguments, self.results = needed(plan, self._parts)
        #: What they need of arguments without their elements, by parameter.
        self.facts: Final = sorted(
            {
                (p.name, *fact)
                for _, expression in self._parts
                for fact in expression.facts
                for p in plan.parameters
                if p.argument.name == fact[0]
            }
        )
        self.function: Final[Function] = self._compile(real)

    def users(self, parameter: Parameter) -> list[Parameter] | None:
        """Return the arguments whose gradients need another one's elements.

        None where all of them do.
        """
        name = parameter.argument.name
        using = [part for part, found in self._parts if name in found.values]
        if len(using) == len(self._parts):
            return None
        wanted = {argument for part in using for argument in part.arguments}
        return [p for p in self.plan.tracked if p.argument.name in wanted]

    def saved(self) -> list[str]:
        """Return what a call saves, in order, as names in the function's source."""
        tracked = self.plan.tracked
        names = ["level"]
        names += [f"like_{p.name}" for p in tracked]
        for p in self.arguments:
            names += [f"s_{p.name}", f"c_{p.name}"] if p.is_array else [f"s_{p.name}"]
        for name in self.results:
            names += [f"r_{name}", f"o_{name}"]
        names += [fact_name(name, attribute) for _, name, attribute in self.facts]
        return names

    def _compile(self, real: bool) -> Function:
        functions: dict[str, Any] = {
            "conform": conform,
            "conform_items": _conform_items,
            "unpacked": unpacked,
            "unpacked_items": unpacked_items,
            "unpacked_result": unpacked_result,
            "filled": _filled,
        }
        for _, expression in self._parts:
            functions |= expression.functions
        name = f"{self.plan.op.__name__}_backward"
        kind = "" if real else " of complex numbers"
        made: Function = compile_function(
            name, self._lines(name), f"<keyslot {name}{kind}>", functions
        )
        return made

    def _lines(self, name: str) -> Iterator[str]:
        plan = self.plan
        several = plan.has_several_gradients
        yield f"def {name}(node, {GRADS if several else GRAD}, record):"
        yield f"    ({', '.join(self.saved())},) = node.saved"
        yield "    edges = node.edges"
        for p in self.arguments:
            yield f"    {p.argument.name} = {self._unpacked(p)}"
        for n, result in enumerate(plan.results):
            if result in self.results:
                saved = f"r_{result}, o_{result}, {n}"
                yield f"    {result} = unpacked_result(node, level, record, {saved})"
        if several:
            yield f"    {GRADS} = filled({GRADS}, node)"
            yield f"    {GRAD} = {GRADS}[0]"
        for part, expression in self._parts:
            yield from self._part(part, expression.source)
        yield f"    return {self._returned()}"

    def _unpacked(self, p: Any) -> str:
        saved, counter = f"s_{p.name}", f"c_{p.name}"
        if p.is_list:
            return f"unpacked_items({saved}, level, record)"
        if not p.is_array:
            return saved
        return (
            f"{saved} if {counter} < 0 else"
            f" unpacked(node, {p.argument.name!r}, {saved}, {counter}, level, record)"
        )

    def _part(self, part: Part, source: str) -> Iterator[str]:
        names = [f"g_{name}" for name in part.arguments]
        condition = " or ".join(map(self._is_needed, part.arguments))
        yield f"    if {condition}:"
        yield f"        {', '.join(names)} = {source}"
        for name in part.arguments:
            yield from self._conformed(name)
        yield "    else:"
        yield f"        {' = '.join(names)} = None"

    def _is_needed(self, name: str) -> str:
        place, parameter = self._place(name)
        if parameter.is_list:
            return f"any(edges[{place}:])"
        return f"edges[{place}] is not None"

    def _place(self, name: str) -> tuple[int, Any]:
        for place, parameter in enumerate(self.plan.tracked):
            if parameter.argument.name == name:
                return place, parameter
        raise AssertionError(name)  # tracked arguments are those of the parts

    def _conformed(self, name: str) -> Iterator[str]:
        _, parameter = self._place(name)
        grad, like = f"g_{name}", f"like_{parameter.name}"
        if parameter.is_list:
            yield f"        {grad} = conform_items({grad}, {like})"
            return
        # Tuples of different lengths are compared size by size, and sizes may be
        # symbolic: what is asked of them would become a guard.
        yield f"        if {grad} is not None and {like} is not None and ("
        yield f"            len({grad}.shape) != len({like}[0])"
        yield f"            or {grad}.shape != {like}[0] or {grad}.dtype != {like}[1]"
        yield "        ):"
        yield f"            {grad} = conform({grad}, *{like})"

    def _returned(self) -> str:
        plain = [f"g_{p.argument.name}" for p in self.plan.tracked if not p.is_list]
        lists = [
            f"*(g_{p.argument.name} or ())" for p in self.plan.tracked if p.is_list
        ]
        return f"({', '.join([*plain, *lists])},)"


def unpacked(
    node: Any, argument: str, saved: Any, counter: int, level: int, record: bool
) -> Any:
    """Return a saved argument, for the formulas of its node.

    Raises ChangedValueError where it has been written to since.
    """
    if (now := version_of(saved)) != counter:
        raise ChangedValueError(node.name, argument, counter, now)
    return saved if record or saved.level != level else saved.value


def unpacked_items(saved: Any, level: int, record: bool) -> Any:
    """Return the arrays of a saved list."""
    if saved is None or record:
        return saved
    return [
        item.value if getattr(item, "level", -1) == level else item for item in saved
    ]


def unpacked_result(
    node: Any, level: int, record: bool, value: Any, counter: Any, index: int
) -> Any:
    """Return a saved result; its edge, which leads to the node, was not saved."""
    held, count = counter
    if held[0] != count:
        raise ChangedValueError(node.name, "its result", count, held[0])
    if not record:
        return value
    return recorded(value, level, (node, index) if node.results > 1 else node)


def _conform_items(grads: Any, likes: Any) -> Any:
    if grads is None:
        return None
    return [
        grad if grad is None or like is None else conform(grad, *like)
        for grad, like in zip(grads, likes, strict=True)
    ]


def _filled(grads: list[Any], node: Any) -> list[Any]:
    """Return the gradients of several results, zeros for those that have none."""
    known = next(grad for grad in grads if grad is not None)
    return [
        ops.new_zeros(known, shape, dtype=dtype) if grad is None else grad
        for grad, (shape, dtype) in zip(grads, node.likes, strict=False)
    ]
