"""`make_fx`: the graph of what a function calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from ...kernels import shapes as shapes  # so that the first trace need not load it
from ...kernels.shapes.spec import ArraySpec
from ...runtime.errors import TracingError
from ..arrays import is_array
from ..graph import Graph, Kind, Node
from ..layers import FIRST_LEVEL, outside_of
from ..pytree import flatten, unflatten
from ..symbolic import ShapeEnv
from .names import input_names
from .traced import TracedArray, traced
from .tracer import AbstractTracer, RealTracer, Tracer

Function = Callable[..., Any]
MODES: Final = ("real", "fake", "symbolic")


def make_fx(
    function: Function,
    tracing_mode: str = "real",
    pre_dispatch: bool = False,
    decomposition_table: Mapping[Any, Function] | None = None,
) -> Callable[..., Graph]:
    """Return a function that traces another one and returns its `Graph`.

    It takes the arguments of ``function``: example arrays, in any pytree. With
    ``tracing_mode`` "real" the operators run on them; with "fake" nothing is computed
    but shapes and dtypes; with "symbolic" the sizes are symbols, and what the program
    asks about them is kept as guards of the graph. ``decomposition_table`` maps
    overloads to functions that are traced in their place. With ``pre_dispatch`` the
    operators are recorded as the program calls them, composites and all.

    Raises TracingError for another mode, and DataNeededError where a program without
    elements needs some.
    """
    if tracing_mode not in MODES:
        raise TracingError(f"tracing_mode is {tracing_mode!r}; it can be {MODES}")

    @wraps(function)
    def trace(*args: Any, **kwargs: Any) -> Graph:
        make = RealTracer if tracing_mode == "real" else AbstractTracer
        tracer = make(decomposition_table or {}, pre_dispatch)
        shapes = ShapeEnv() if tracing_mode == "symbolic" else None
        leaves, structure = flatten((args, kwargs))
        names = input_names(function, args, kwargs)
        inputs = [
            _Input(tracer, shapes, leaf, name)
            for leaf, name in zip(leaves, names, strict=True)
        ]
        given, named = unflatten(structure, [one.argument for one in inputs])

        def run() -> Any:
            with tracer:
                return function(*given, **named)

        # Layers around the trace are for what it does with its inputs in the end.
        try:
            result = outside_of(FIRST_LEVEL, run)
        finally:
            tracer.finish()
        outputs, out_structure = flatten(result)
        return Graph(
            getattr(function, "__name__", "traced"),
            [one.node for one in inputs],
            tracer.nodes,
            [tracer.output(leaf) for leaf in outputs],
            in_spec=structure,
            out_spec=out_structure,
            guards=shapes,
        )

    return trace


class _Input:
    """An example argument: its node, and what the function is called with."""

    def __init__(
        self, tracer: Tracer, shapes: ShapeEnv | None, leaf: Any, name: str
    ) -> None:
        if not is_array(leaf):
            # Not traced: it has become part of the program.
            self.node = Node(Kind.PLACEHOLDER, (name, leaf), None, None)
            self.argument = leaf
            return
        shape = (
            leaf.shape if shapes is None else shapes.create_symbols(leaf.shape, name)
        )
        spec = ArraySpec(tuple(shape), leaf.dtype)
        self.node = Node(Kind.PLACEHOLDER, (name,), None, spec)
        if isinstance(tracer, RealTracer):
            self.argument = TracedArray(leaf, self.node, tracer)
        else:
            self.argument = traced(spec, self.node, tracer)
