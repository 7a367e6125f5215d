"""Errors of graphs: programs that were traced."""

from __future__ import annotations

from .base import KeyslotError


class GraphInputError(KeyslotError, ValueError):
    """Inputs that a graph was not traced for."""

    _fields = ("graph", "problem")
    graph: str
    problem: str

    def message(self) -> str:
        return (
            f"graph {self.graph}: {self.problem}\n"
            "  what to do: trace it again with such inputs, symbolically for arrays of"
            " other sizes"
        )


class GraphSizeError(KeyslotError, ValueError):
    """A symbolic size that is not the size of any input."""

    _fields = ("graph", "symbol")
    graph: str
    symbol: str

    def message(self) -> str:
        return (
            f"graph {self.graph} uses the size {self.symbol}, which no input has\n"
            "  what to do: make an array with a dimension of this size an input"
        )


class GraphBackendError(KeyslotError, TypeError):
    """Something in a graph that a backend has no counterpart of."""

    _fields = ("graph", "backend", "problem", "hint")
    graph: str
    backend: str
    problem: str
    hint: str

    def message(self) -> str:
        return (
            f"graph {self.graph} cannot run on {self.backend}: {self.problem}\n"
            f"  what to do: {self.hint}"
        )


class GraphKernelError(KeyslotError, NotImplementedError):
    """An operator of a graph that has no kernel at the backend it is compiled for."""

    _fields = ("graph", "op", "backend")
    graph: str
    op: str
    backend: str

    def message(self) -> str:
        return (
            f"graph {self.graph} cannot be compiled for {self.backend}: {self.op} has"
            " no kernel there\n"
            "  what to do: register one, or compile for another backend"
        )


class GraphDrawingError(KeyslotError, ValueError):
    """A form of drawing that there is not."""

    _fields = ("format", "known")
    format: str
    known: tuple[str, ...]

    def message(self) -> str:
        return f"graphs are drawn as {' or '.join(self.known)}, not as {self.format!r}"
