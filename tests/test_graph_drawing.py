"""Drawings of graphs: SVG, Mermaid, and what notebooks show."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from keyslot import ops
from keyslot.runtime.errors import GraphDrawingError
from keyslot.transforms.graph import Graph, Kind, Node

from .arrays import matrix
from .graph_building import Program, Spec, structure

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script> &amp; #1; "]\n    n0 --> n9 \x00'


def small() -> Graph:
    """Return a graph with everything that is drawn in its own way."""
    p = Program()
    x = p.input("x", matrix())
    scaled = p.call(ops.add.Tensor, x, p.constant(np.ones(3)), alpha=0.5)
    parts = p.call(ops.split.Tensor, scaled, 1)
    filled = p.call(ops.full.default, [1, 3], 2, dtype=np.dtype("float32"))
    total = p.call(ops.mul.Tensor, p.item(parts, 1), filled)
    return p.graph(total, 7, out_spec=structure((0, 0)))


def notebook(graph: Graph, form: str) -> str:
    """Return what a notebook shows of a graph in some form."""
    shown: str = getattr(graph, f"_repr_{form}_")()
    return shown


def texts(svg: str) -> list[str]:
    """Return what stands in the boxes of a drawing."""
    root = ElementTree.fromstring(svg)
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_mermaid() -> None:
    """Boxes by number, with the operator, what is no array, and the result."""
    assert small().draw("mermaid").splitlines() == [
        "flowchart TD",
        '    n0(["x<br/>float64[2, 3]"])',
        '    n1[("constant<br/>float64[3]")]',
        '    n2["add.Tensor<br/>alpha=0.5<br/>float64[2, 3]"]',
        '    n3["split.Tensor<br/>1<br/>[float64[1, 3], float64[1, 3]]"]',
        '    n4["full.default<br/>[1, 3], 2, dtype=float32<br/>float32[1, 3]"]',
        '    n5["result 1<br/>float64[1, 3]"]',
        '    n6["mul.Tensor<br/>float64[1, 3]"]',
        '    n7(["return<br/>7"])',
        "    n0 --> n2",
        "    n1 --> n2",
        "    n2 --> n3",
        "    n3 --> n5",
        "    n5 --> n6",
        "    n4 --> n6",
        "    n6 --> n7",
    ]


def test_svg_has_the_same_boxes_and_arrows() -> None:
    """Each line of a box is a text, each arrow a path, each source a tip."""
    drawing = small().draw()
    root = ElementTree.fromstring(drawing)
    shown = [line.replace("<br/>", "\n") for line in small().draw("mermaid").split('"')]
    assert texts(drawing) == "\n".join(shown[1::2]).splitlines()
    assert len(root.findall(f"{SVG}path")) == 7
    tips = [tip.text or "" for tip in root.iter(f"{SVG}title")]
    assert any("parts = p.call(ops.split.Tensor, scaled, 1)" in tip for tip in tips)


def test_boxes_do_not_overlap() -> None:
    """Nor do they stand outside; arrows lead downwards."""
    p = Program()
    nodes = [p.input(name, matrix()) for name in ("first", "second", "third")]
    for number in range(30):
        one, other = nodes[number * 7 % len(nodes)], nodes[-1 - number % 3]
        nodes.append(p.call(ops.mul.Tensor, one, other))
    root = ElementTree.fromstring(p.graph(nodes[-1]).draw())
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    boxes = [
        [float(box.attrib[name]) for name in ("x", "y", "width", "height")]
        for box in root.iter(f"{SVG}rect")
    ]
    assert len(boxes) == len(nodes) + 1
    for number, (x, y, w, h) in enumerate(boxes):
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
        for other_x, other_y, other_w, other_h in boxes[:number]:
            across = x >= other_x + other_w or other_x >= x + w
            assert across or y >= other_y + other_h or other_y >= y + h
    for path in root.findall(f"{SVG}path"):
        numbers = [float(n) for n in re.findall(r"-?\d+\.\d+", path.attrib["d"])]
        assert numbers[1::2] == sorted(numbers[1::2])


def test_all_text_is_escaped() -> None:
    """Names, dtypes, arguments and lines are shown, never obeyed."""
    code = compile("x", HOSTILE[:-1], "exec")
    x = Node(Kind.PLACEHOLDER, (HOSTILE,), None, Spec((HOSTILE,), HOSTILE))
    node = Node(ops.mul.Scalar, (x, HOSTILE), {HOSTILE: 1}, None, (code, 2))
    spec = structure([0, 0])
    graph = Graph("f", [x], [node], [node, HOSTILE], out_spec=spec)
    drawing = graph.draw()
    assert any("<script>" in text for text in texts(drawing))
    assert "<script>" not in drawing
    assert "<script>" not in notebook(graph, "html")
    boxes = re.compile(r' +n\d\(?\["([\w .,+=:()\[\]/*#;-]|<br/>)*"\]\)?')
    _, *lines, first, last = graph.draw("mermaid").splitlines()
    assert len(lines) == 3
    assert all(map(boxes.fullmatch, lines))
    assert "#60;script#62;" in lines[0]
    assert (first, last) == ("    n0 --> n1", "    n1 --> n2")


@pytest.mark.parametrize("format", ["svg", "mermaid"])
def test_a_large_graph_is_drawn_in_part(format: str) -> None:
    """The first nodes, and how many there are beside them."""
    p = Program()
    node = p.input("x", matrix())
    for _ in range(5_000):
        node = Node(ops.neg.default, (node,))
        p.nodes.append(node)
    drawing = p.graph(node).draw(format, limit=20)
    assert drawing.count("neg.default") == 19
    assert "and 4,981 more nodes" in drawing
    assert len(notebook(p.graph(node), "html")) < 100_000


def test_an_empty_graph_is_drawn() -> None:
    """One box."""
    assert texts(Program().graph(1.5).draw()) == ["return", "1.5"]


def test_notebooks_show_drawings() -> None:
    """As HTML with the source beside it, as SVG, as Markdown."""
    graph = small()
    assert notebook(graph, "svg") == graph.draw()
    assert notebook(graph, "html").startswith(graph.draw())
    assert "add = ops.add.Tensor(x, constant, alpha=0.5)" in notebook(graph, "html")
    assert notebook(graph, "markdown") == f"```mermaid\n{graph.draw('mermaid')}\n```"


def test_other_formats_are_refused() -> None:
    """With those that there are."""
    draw: Any = small().draw
    with pytest.raises(GraphDrawingError) as caught:
        draw("png")
    assert str(caught.value) == "graphs are drawn as svg or mermaid, not as 'png'"
