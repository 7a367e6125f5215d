"""`Graph`: a program as the list of its operator calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

from .drawing import LIMIT, draw, html, markdown
from .inputs import Guards, Inputs
from .interpreter import interpret
from .lifetimes import last_uses
from .node import Node
from .passes import without_common_subexpressions, without_dead_code
from .printed import printed

if TYPE_CHECKING:
    from .text import FunctionText


@final
class Graph:
    """A program over operators, as straight-line calls of overloads.

    ``placeholders`` are the inputs and ``outputs`` the results, both as the flat leaves
    of pytrees; ``nodes`` is what is computed in between, in order, and constants. An
    output is a node, or a number, or whatever else the program returned that is no
    array. Calling the graph runs it, and ``print`` shows it as Python.

    The passes return new graphs, which share nodes with this one: nodes are not changed
    once a graph has them.
    """

    __slots__ = (
        "_last_uses",
        "guards",
        "in_spec",
        "inputs",
        "name",
        "nodes",
        "out_spec",
        "outputs",
        "placeholders",
    )

    def __init__(
        self,
        name: str,
        placeholders: list[Node],
        nodes: list[Node],
        outputs: list[Any],
        *,
        in_spec: Any = None,
        out_spec: Any = None,
        guards: Guards | None = None,
    ) -> None:
        #: What its function is called when it is printed.
        self.name: Final = name
        self.placeholders: Final = placeholders
        self.nodes: Final = nodes
        self.outputs: Final = outputs
        #: The structure of the pair of positional and named arguments, as optree has
        #: it; None where each input is a positional argument.
        self.in_spec: Final = in_spec
        #: The structure of the result; None where it is the one output.
        self.out_spec: Final = out_spec
        #: What has to be true of the shapes of those inputs that are arrays.
        self.guards: Final = guards
        self.inputs: Final = Inputs(name, placeholders, in_spec, guards)
        self._last_uses: list[list[Node]] | None = None

    def __repr__(self) -> str:
        return (
            f"<Graph {self.name}: {len(self.placeholders)} inputs,"
            f" {len(self.nodes)} nodes, {len(self.outputs)} outputs>"
        )

    def __str__(self) -> str:
        return self.code.removesuffix("\n")

    @property
    def code(self) -> str:
        """The graph as Python source: a function that calls the overloads.

        ``exec(graph.code, graph.namespace)`` defines it. It checks nothing.
        """
        return printed(self).code

    @property
    def namespace(self) -> dict[str, Any]:
        """The globals that `code` needs: ``ops``, constants, dtypes."""
        return printed(self).namespace

    def printed(self) -> FunctionText:
        """Return name, source and globals of the graph as a function, at once."""
        return printed(self)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._run(args, kwargs, None, True)

    def run(
        self,
        /,
        *args: Any,
        backend: str | None = None,
        check: bool = True,
        **kwargs: Any,
    ) -> Any:
        """Call the operators again, on whatever arrays are given.

        With a ``backend``, constants and dtypes are brought into the form that it has.
        The inputs are checked against what was traced unless ``check`` is false.
        Arguments of the program that are called so too are passed by calling the graph.

        Raises GraphInputError for other inputs, GraphBackendError for a constant or
        dtype that the backend does not have, and the errors of the operators.
        """
        return self._run(args, kwargs, backend, check)

    def _run(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        backend: str | None,
        check: bool,
    ) -> Any:
        inputs = self.inputs.flatten(args, kwargs)
        if check:
            self.inputs.check(inputs)
        return self.result(interpret(self, inputs, backend))

    def compile(
        self, backend: str = "NumPy", *, check: bool = True
    ) -> Callable[..., Any]:
        """Return a plain function that calls the kernels of one backend directly.

        Nothing is dispatched when it runs: no state, mode or transform sees its calls,
        and kernels that are registered later are not used. It takes plain arrays of the
        backend. They are checked against what was traced unless ``check`` is false. A
        composite without a kernel at the backend is called as it is, and dispatches
        what it is made of.

        Raises GraphKernelError for an operator without a kernel, GraphBackendError for
        a constant or dtype that the backend does not have.
        """
        from .compiled import compile_graph

        return compile_graph(self, backend, check)

    def result(self, leaves: list[Any]) -> Any:
        """Return outputs in the structure that the program returned."""
        return leaves[0] if self.out_spec is None else self.out_spec.unflatten(leaves)

    def eliminate_dead_code(self, *, keep_random: bool = True) -> Graph:
        """Return a graph without the nodes whose results nothing uses.

        Operators that write to an argument or return nothing stay. So do those that
        draw random numbers, without which later ones would draw others, unless
        ``keep_random`` is false.
        """
        return self._with(without_dead_code(self, keep_random), self.outputs)

    def eliminate_common_subexpressions(self) -> Graph:
        """Return a graph that computes each thing once.

        Arguments are compared by structure; 1, 1.0 and True differ, and arrays are the
        same only if they are one object. Operators that draw random numbers stay, and
        so does everything that is written to or read across a write. Two results of the
        program never become one array.
        """
        return self._with(*without_common_subexpressions(self))

    def _with(self, nodes: list[Node], outputs: list[Any]) -> Graph:
        return Graph(
            self.name,
            self.placeholders,
            nodes,
            outputs,
            in_spec=self.in_spec,
            out_spec=self.out_spec,
            guards=self.guards,
        )

    def draw(self, format: str = "svg", *, limit: int = LIMIT) -> str:
        """Return a drawing: an SVG document, or text for ``format="mermaid"``.

        It shows the first ``limit`` nodes. Raises GraphDrawingError for another format.
        """
        return draw(self, format, limit)

    def _repr_html_(self) -> str:
        return html(self)

    def _repr_svg_(self) -> str:
        return self.draw("svg")

    def _repr_markdown_(self) -> str:
        return markdown(self)

    def to_fx(self) -> Any:
        """Return a ``torch.fx.GraphModule`` that computes the same with PyTorch.

        Each node calls the operator of this name in ``torch.ops.aten``; constants are
        buffers. It takes the inputs as they are in ``placeholders``, one by one, and
        returns them in the structure that the program does.

        Raises GraphBackendError where PyTorch is not installed, and for an operator or
        a value that it does not have.
        """
        from .torch_fx import to_fx

        return to_fx(self)

    @property
    def guard_list(self) -> list[Any]:
        """The guards, in the order in which the program asked."""
        return [] if self.guards is None else [*self.guards.guards]

    def last_uses(self) -> list[list[Node]]:
        """Return for each node the values that nothing uses after it."""
        if self._last_uses is None:
            self._last_uses = last_uses(self)
        return self._last_uses
