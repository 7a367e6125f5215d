"""Drawings as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import count
from typing import Final

from .layout import LINE_HEIGHT, PADDING, Layout, Rectangle, layout
from .picture import Box, Picture

_STYLE: Final = (
    "text{font:12px ui-monospace,monospace;text-anchor:middle;fill:#1f2328}"
    "rect{stroke:#59636e;fill:#fff}"
    ".input,.output{fill:#ddf4ff}.constant{fill:#fff8c5}"
    ".more{stroke-dasharray:4 3}"
    "path{fill:none;stroke:#59636e}"
    "marker path{fill:#59636e}"
)
_MARKER: Final = (
    '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
    ' markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
)
#: Boxes with round ends.
_ROUND: Final = frozenset(("input", "output"))


def svg(picture: Picture) -> str:
    """Return a drawing as an SVG document."""
    where = layout(picture)
    size = f"{where.width:.0f} {where.height:.0f}"
    width, height = size.split()
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}"'
            f' width="{width}" height="{height}">',
            f"<style>{_STYLE}</style>",
            f"<defs>{_MARKER}</defs>",
            *_arrows(where),
            *map(_box, picture.boxes, where.boxes),
            "</svg>",
        ]
    )


def _arrows(where: Layout) -> Iterator[str]:
    for points in where.arrows:
        (x, y), *others = points
        path = [f"M{x:.1f} {y:.1f}"]
        for to_x, to_y in others:
            # Upright at both ends.
            middle = (y + to_y) / 2
            path.append(f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f}")
            path.append(f"{to_x:.1f} {to_y:.1f}")
            x, y = to_x, to_y
        yield f'<path d="{" ".join(path)}" marker-end="url(#head)"/>'


def _box(box: Box, where: Rectangle) -> str:
    x, y = where.x - where.width / 2, where.y - where.height / 2
    radius = where.height / 2 if box.kind in _ROUND else 3
    lines = "".join(
        f'<text x="{where.x:.1f}" y="{baseline:.1f}">{escape(line)}</text>'
        for baseline, line in zip(_baselines(y), box.lines, strict=False)
    )
    tip = f"<title>{escape(box.source)}</title>" if box.source else ""
    return (
        f'<g>{tip}<rect class="{box.kind}" x="{x:.1f}" y="{y:.1f}"'
        f' width="{where.width:.1f}" height="{where.height:.1f}" rx="{radius:.1f}"/>'
        f"{lines}</g>"
    )


def _baselines(top: float) -> Iterator[float]:
    return count(top + PADDING + LINE_HEIGHT * 0.75, LINE_HEIGHT)
