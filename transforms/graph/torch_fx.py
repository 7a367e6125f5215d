"""Graphs as modules of ``torch.fx``."""

from __future__ import annotations

import operator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import numpy as np

from ...generated.keys import SPACE
from ...runtime.errors import GraphBackendError
from ..nested import mapped
from ..symbolic.expression import in_order
from ..symbolic.operations import OPERATIONS
from .backend_values import BackendValues
from .dtypes import dtype_name
from .names import Names, wanted_name
from .node import Kind, Node
from .sizes import is_size, is_symbol, symbols

if TYPE_CHECKING:
    from ...runtime.schema import Argument
    from .graph import Graph

#: Functions of sizes that PyTorch has its own of; the others are Python's.
_OF_SIZES: Final = {
    "max": "sym_max",
    "min": "sym_min",
    "float": "sym_float",
    "int": "sym_int",
    "not": "sym_not",
}
#: Those that are no functions in Python, by the names of functions for truth values.
_LOGICAL: Final = {"and": "and_", "or": "or_"}
#: Types of schemas whose values are attributes of torch, ours by their names.
_NAMED: Final = frozenset(("ScalarType", "Layout", "MemoryFormat"))


def to_fx(graph: Graph) -> Any:
    """Return the module of `Graph.to_fx`."""
    return _Exporter(graph).module()


class _Exporter:
    """Makes a module, node by node."""

    def __init__(self, graph: Graph) -> None:
        self._graph: Final = graph
        try:
            # Not a statement: nobody else needs PyTorch.
            self._torch: Final = import_module("torch")
            self._fx: Final = import_module("torch.fx")
        except ImportError:
            hint = "install it: python -m pip install torch"
            problem = "PyTorch is not installed"
            raise GraphBackendError(graph.name, "Torch", problem, hint) from None
        self._values: Final = BackendValues(graph.name, "Torch")
        self._root: Final = self._torch.nn.Module()
        self._made: Final = self._fx.Graph()
        self._names: Final = Names()
        #: What stands for each node and each symbolic size.
        self._nodes: Final[dict[Any, Any]] = {}

    def module(self) -> Any:
        """Return the module."""
        for node in self._graph.placeholders:
            name = self._names.new(wanted_name(node))
            self._nodes[node] = self._made.placeholder(name)
        for node in self._graph.nodes:
            self._nodes[node] = self._node(node)
        results = [self._leaf(value) for value in self._graph.outputs]
        self._made.output(self._graph.result(results))
        return self._fx.GraphModule(self._root, self._made, self._graph.name)

    def _node(self, node: Node) -> Any:
        if node.op is Kind.CONSTANT:
            return self._buffer(node.args[0])
        if node.op is Kind.ITEM:
            source, index = node.args
            args = (self._nodes[source], index)
            return self._made.call_function(operator.getitem, args)
        target = self._overload(node.op)
        arguments = node.op.schema.arguments
        by_name = {argument.name: argument for argument in arguments}
        args = tuple(map(self._argument, node.args, arguments))
        kwargs = {
            name: self._argument(value, by_name[name])
            for name, value in (node.kwargs or {}).items()
        }
        if not node.inputs and kwargs.get("dtype") is None and "dtype" in by_name:
            # PyTorch's defaults are others: float32 where NumPy has float64.
            made = getattr(node.spec, "dtype", None)
            kwargs["dtype"] = None if made is None else self._values.dtype(made)
        return self._made.call_function(target, args, kwargs)

    def _overload(self, op: Any) -> Any:
        """Return the operator of PyTorch that has the name and the schema of ours."""
        packet, _, overload = op.qualified_name.rpartition(".")
        found = getattr(getattr(self._torch.ops.aten, packet, None), overload, None)
        if op.namespace != "keyslot" or found is None:
            hint = "write the program with operators that PyTorch has, or decompose it"
            self._refuse(f"torch.ops.aten has no {op.name}", hint)
        return found

    def _buffer(self, value: Any) -> Any:
        tensor = value
        if not isinstance(value, self._torch.Tensor):
            try:
                # A copy: buffers are the module's own.
                tensor = self._torch.tensor(np.asarray(value))
            except TypeError as error:
                hint = "make it an input of the program"
                self._refuse(f"a constant does not convert: {error}", hint)
        name = self._names.new("constant")
        self._root.register_buffer(name, tensor)
        return self._made.get_attr(name)

    # --- arguments --------------------------------------------------------------------

    def _argument(self, value: Any, argument: Argument) -> Any:
        if argument.type.base.name in _NAMED and value is not None:
            return self._named(value)
        if argument.type.base.name == "Device" and value in SPACE.backends:
            # Names of backends are devices of ours alone.
            return None
        return mapped(value, self._leaf)

    def _named(self, value: Any) -> Any:
        """Return a dtype, layout or memory format of PyTorch."""
        name = value if isinstance(value, str) else dtype_name(self._values.leaf(value))
        found = getattr(self._torch, name, None)
        if found is None:
            self._refuse(f"it has no {name}", "trace the program with another dtype")
        return found

    def _leaf(self, value: Any) -> Any:
        if type(value) is Node:
            return self._nodes[value]
        if is_size(value):
            return self._size(value)
        return _number(value)

    def _size(self, size: Any) -> Any:
        """Return what computes a symbolic size."""
        if not any(is_symbol(each) for each in self._nodes):
            self._read_symbols()
        for each in in_order([size], self._nodes):
            operands = tuple(self._nodes.get(o, o) for o in each.operands)
            function = self._size_function(each.operation)
            self._nodes[each] = self._made.call_function(function, operands)
        return self._nodes[size]

    def _size_function(self, operation: str) -> Any:
        if operation in _OF_SIZES:
            return getattr(self._torch, _OF_SIZES[operation])
        if operation in _LOGICAL:
            return getattr(operator, _LOGICAL[operation])
        return OPERATIONS[operation].function

    def _read_symbols(self) -> None:
        for symbol, place, dim in symbols(self._graph.placeholders):
            if symbol not in self._nodes:
                source = self._nodes[self._graph.placeholders[place]]
                read = self._torch.ops.aten.sym_size.int
                self._nodes[symbol] = (
                    source
                    if dim is None
                    else self._made.call_function(read, (source, dim))
                )

    def _refuse(self, problem: str, hint: str) -> NoReturn:
        raise GraphBackendError(self._graph.name, "Torch", problem, hint)


def _number(value: object) -> Any:
    """Return a number of NumPy as one of Python: PyTorch takes no others."""
    # By class: NumPy's own stubs do not say of what an instance is.
    is_numpy = issubclass(type(value), np.generic)
    return cast("Any", value).item() if is_numpy else value
