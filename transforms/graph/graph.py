"""`Graph`: a program as the list of its operator calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from .inputs import Inputs
from .interpreter import interpret
from .lifetimes import last_uses
from .node import Node
from .printed import printed

if TYPE_CHECKING:
    from .text import FunctionText


class Guards(Protocol):
    """What has to be true of the sizes of inputs."""

    def check(self, *shapes: Any) -> None:
        """Raise an error unless it is true of these shapes, one for each input."""
        ...


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
        #: What has to be true of the shapes of inputs, beside what placeholders say.
        self.guards: Final = guards
        self.inputs: Final = Inputs(self)

    def __repr__(self) -> str:
        return (
            f"<Graph {self.name}: {len(self.placeholders)} inputs,"
            f" {len(self.nodes)} nodes, {len(self.outputs)} outputs>"
        )

    def __str__(self) -> str:
        return self.code

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

    def result(self, leaves: list[Any]) -> Any:
        """Return outputs in the structure that the program returned."""
        return leaves[0] if self.out_spec is None else self.out_spec.unflatten(leaves)

    def last_uses(self) -> list[list[Node]]:
        """Return for each node the values that nothing uses after it."""
        return last_uses(self)
