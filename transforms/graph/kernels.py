"""The kernels that a compiled graph calls, and their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from ...runtime.errors import GraphKernelError, OverloadError
from ...runtime.given import ListOf
from ...runtime.handlers import Refusal, ordinary_handler, ready
from ...runtime.resolution import Binding, CallShape, Source, bind, checked
from ..nested import is_nested
from .node import Node
from .sizes import is_size

if TYPE_CHECKING:
    from ...runtime.given import Given
    from ...runtime.op import OpOverload
    from ...runtime.schema import Type

#: Stands for the arrays of any backend: the layout of arguments does not depend on it.
_ARRAY: Final = np.ndarray
#: Python's types for those of schemas whose values no kernel takes in another form.
_EXACT: Final[dict[str, type]] = {
    "Scalar": float,
    "int": int,
    "SymInt": int,
    "DeviceIndex": int,
    "float": float,
    "complex": complex,
    "bool": bool,
    "SymBool": bool,
    "str": str,
}


class KernelArgument(NamedTuple):
    """One argument of a kernel."""

    #: Its name, if the kernel takes it by name.
    name: str | None
    value: Any
    #: What the value goes through when the graph runs.
    convert: Callable[[Any], Any] | None


@final
class Kernels:
    """Finds the kernels of one backend."""

    def __init__(self, graph: str, backend: str) -> None:
        self._graph: Final = graph
        self._backend: Final = backend
        self._kernels: Final[dict[OpOverload, Any]] = {}
        #: Where arguments come from, by operator and types: most calls are alike.
        self._bindings: Final[dict[Any, Binding]] = {}

    def kernel(self, op: OpOverload) -> Any:
        """Return the kernel that calls with arrays of the backend reach.

        Raises GraphKernelError where there is none.
        """
        if op not in self._kernels:
            self._kernels[op] = self._load(op)
        return self._kernels[op]

    def _load(self, op: OpOverload) -> Any:
        dispatcher = op.dispatcher
        index = dispatcher.space.index(self._backend)
        handler = dispatcher.settle(
            lambda: ordinary_handler(op, op.dispatch_table, index), lambda _: None
        )
        if isinstance(handler, Refusal):
            raise GraphKernelError(self._graph, op.name, self._backend)
        return ready(op, handler, dispatcher.space.bit(self._backend))

    def arguments(self, node: Node) -> list[KernelArgument]:
        """Return all the arguments of a node's kernel, in its order.

        Defaults are filled in. Where the schema has a value in another form than the
        program, it is converted, now if it can be. Raises OverloadError for arguments
        that do not fit the schema.
        """
        kwargs = node.kwargs or {}
        values = (*node.args, *kwargs.values())
        binding = self._bind(node, values)
        by_position = len(binding.positional)
        return [
            _argument(binding, source, place >= by_position, values)
            for place, source in enumerate(binding.sources)
        ]

    def _bind(self, node: Node, values: tuple[Any, ...]) -> Binding:
        op = node.op
        shape = CallShape(("",) * len(node.args), tuple(node.kwargs or ()))
        given = tuple(map(_given, values, _expected(op, shape)))
        found = self._bindings.get((op, shape, given))
        if found is None:
            binding = bind(op, shape, given)
            if isinstance(binding, str):
                raise OverloadError(op.name, (), ((op.schema_text, binding),))
            found = self._bindings[op, shape, given] = binding
        return found


def _expected(op: OpOverload, shape: CallShape) -> list[Type | None]:
    """Return the schema's type of each argument; surplus ones are refused later."""
    schema, count = op.schema, len(shape.positional)
    types: list[Type | None] = [each.type for each in schema.positional[:count]]
    types += [None] * (count - len(types))
    if shape.keyword_only:
        by_name = {argument.name: argument.type for argument in schema.arguments}
        types += map(by_name.get, shape.keyword_only)
    return types


def _given(value: Any, expected: Type | None) -> Given:
    """Return the type of an argument as it will be when the graph runs."""
    if is_nested(value):
        return ListOf(type(value), frozenset(_given(item, expected) for item in value))
    if type(value) is Node:
        if expected is None or hasattr(value.spec, "dtype"):
            return _ARRAY
        return _EXACT.get(expected.base.name, _ARRAY)
    known: object = value.hint if is_size(value) else value
    return type(known)


def _argument(
    binding: Binding, source: Source, by_name: bool, values: tuple[Any, ...]
) -> KernelArgument:
    name = source.argument.name if by_name else None
    if source.place is None:
        return KernelArgument(name, source.default, None)
    value, convert = values[source.place], checked(binding.op, source)
    if convert is None or _is_computed(value):
        return KernelArgument(name, value, convert)
    return KernelArgument(name, convert(value), None)


def _is_computed(value: Any) -> bool:
    """Whether a value is not known before the graph runs."""
    if is_nested(value):
        return any(map(_is_computed, value))
    return type(value) is Node or is_size(value)
