"""Drawings of graphs, and what notebooks show of them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from ...runtime.errors import GraphDrawingError
from .mermaid import mermaid
from .picture import picture
from .svg import svg

if TYPE_CHECKING:
    from .graph import Graph

#: How many nodes can be looked at.
LIMIT: Final = 100
_FORMATS: Final = {"svg": svg, "mermaid": mermaid}


def draw(graph: Graph, format: str, limit: int) -> str:
    """Return the drawing of `Graph.draw`."""
    if format not in _FORMATS:
        raise GraphDrawingError(format, tuple(_FORMATS))
    return _FORMATS[format](picture(graph, limit))


def html(graph: Graph) -> str:
    """Return a drawing and, where it is short, the source, folded away."""
    drawing = draw(graph, "svg", LIMIT)
    if len(graph.nodes) > LIMIT:
        return drawing
    code = escape(graph.code)
    return f"{drawing}<details><summary>Python</summary><pre>{code}</pre></details>"


def markdown(graph: Graph) -> str:
    """Return a drawing for viewers of Markdown that know Mermaid."""
    return f"```mermaid\n{draw(graph, 'mermaid', LIMIT)}\n```"
