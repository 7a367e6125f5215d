"""Running a graph: its operators are called again, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from .backend_values import BackendValues
from .node import Kind, Node, mapped_arguments
from .sizes import SizeValues, is_size

if TYPE_CHECKING:
    from .graph import Graph

#: What is passed on as it is.
_PLAIN: Final = frozenset((int, float, bool, str, type(None)))


def interpret(graph: Graph, inputs: Sequence[Any], backend: str | None) -> list[Any]:
    """Return the results for some inputs, which were checked.

    Overloads are called, so everything that sees calls sees these: arrays of any
    library, modes, transforms. A value is dropped after its last use.
    """
    values: dict[Node, Any] = dict(zip(graph.placeholders, inputs, strict=True))
    sizes = SizeValues(graph, inputs)
    library = None if backend is None else BackendValues(graph.name, backend)

    def value_of(leaf: Any) -> Any:
        if type(leaf) is Node:
            return values[leaf]
        if type(leaf) in _PLAIN:
            return leaf
        if is_size(leaf):
            return sizes.value(leaf)
        return leaf if library is None else library.leaf(leaf)

    for node, ended in zip(graph.nodes, graph.last_uses(), strict=True):
        if node.op is Kind.CONSTANT:
            (constant,) = node.args
            values[node] = constant if library is None else library.array(constant)
        elif node.op is Kind.ITEM:
            source, index = node.args
            values[node] = values[source][index]
        else:
            args, kwargs = mapped_arguments(node, value_of)
            call = node.op if library is None else library.call(node)
            values[node] = call(*args, **kwargs)
            # Nor may these names keep alive what is dropped below.
            del args, kwargs
        for each in ended:
            del values[each]
    return [value_of(output) for output in graph.outputs]
