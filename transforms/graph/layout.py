"""Where the boxes of a drawing are: in layers, each below those that it depends on.

The layers and the detours of long arrows are those of Sugiyama, Tagawa and Toda,
"Methods for Visual Understanding of Hierarchical System Structures" (1981), with a
single pass for the order in each layer.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from .picture import Box, Picture

#: Sizes in pixels.
LINE_HEIGHT: Final = 16
PADDING: Final = 8
_CHARACTER: Final = 7.3
_GAP_ACROSS: Final = 24
_GAP_DOWN: Final = 36
_MARGIN: Final = 12
#: How wide the way of an arrow is that passes a layer.
_LANE: Final = 12

#: Something in a layer: the number of a box, or for the arrows from a box that pass the
#: layer its number and the layer.
_Slot = int | tuple[int, int]


class Rectangle(NamedTuple):
    """Where something is: its centre, and its size."""

    x: float
    y: float
    width: float
    height: float


class Layout(NamedTuple):
    """Where everything in a drawing is."""

    width: float
    height: float
    #: Of each box.
    boxes: list[Rectangle]
    #: The points that each arrow goes through.
    arrows: list[list[tuple[float, float]]]


def layout(picture: Picture) -> Layout:
    """Return where boxes and arrows are."""
    layer_of = _layers(picture)
    layers, before = _slots(picture, layer_of)
    places: dict[_Slot, Rectangle] = {}
    top: float = _MARGIN
    for layer in layers:
        layer.sort(key=lambda slot: _middle(before.get(slot, []), places))
        height = max(_size(slot, picture)[1] for slot in layer)
        _place(layer, picture, top, height, places)
        top += height + _GAP_DOWN
    left = min(r.x - r.width / 2 for r in places.values()) - _MARGIN
    right = max(r.x + r.width / 2 for r in places.values()) + _MARGIN
    moved = {slot: r._replace(x=r.x - left) for slot, r in places.items()}
    boxes = [moved[number] for number in range(len(picture.boxes))]
    arrows = [_points(arrow, layer_of, moved) for arrow in picture.arrows]
    return Layout(right - left, top - _GAP_DOWN + _MARGIN, boxes, arrows)


def _layers(picture: Picture) -> list[int]:
    """Return the layer of each box: one below the lowest that it depends on."""
    found = [0] * len(picture.boxes)
    # Boxes come in an order in which arrows go forward.
    for source, target in sorted(picture.arrows, key=lambda arrow: arrow[1]):
        found[target] = max(found[target], found[source] + 1)
    # What comes last is below everything.
    found[-1] = max(found[:-1], default=-1) + 1
    return found


def _slots(
    picture: Picture, layer_of: list[int]
) -> tuple[list[list[_Slot]], dict[_Slot, list[_Slot]]]:
    """Return what is in each layer, and for each of it what it comes from.

    An arrow that passes layers has a slot in each. Arrows from one box share them.
    """
    layers: list[list[_Slot]] = [[] for _ in range(max(layer_of) + 1)]
    before: dict[_Slot, list[_Slot]] = {}
    for number, layer in enumerate(layer_of):
        layers[layer].append(number)
    for source, target in picture.arrows:
        way = _way(source, target, layer_of)
        for above, slot in pairwise(way):
            if slot not in before and isinstance(slot, tuple):
                layers[slot[1]].append(slot)
            before.setdefault(slot, []).append(above)
    return layers, before


def _way(source: int, target: int, layer_of: list[int]) -> list[_Slot]:
    """Return the slots that an arrow goes through."""
    passed = range(layer_of[source] + 1, layer_of[target])
    return [source, *((source, layer) for layer in passed), target]


def _middle(above: list[_Slot], places: dict[_Slot, Rectangle]) -> float:
    """Return the middle of what something comes from, all placed before it."""
    return sum(places[slot].x for slot in above) / len(above) if above else 0.0


def _size(slot: _Slot, picture: Picture) -> tuple[float, float]:
    """Return width and height; a lane is as high as its layer, and says 0."""
    return (_LANE, 0) if isinstance(slot, tuple) else _box_size(picture.boxes[slot])


def _box_size(box: Box) -> tuple[float, float]:
    longest = max(map(len, box.lines))
    height = len(box.lines) * LINE_HEIGHT + 2 * PADDING
    return longest * _CHARACTER + 2 * PADDING, height


def _place(
    layer: list[_Slot],
    picture: Picture,
    top: float,
    full: float,
    places: dict[_Slot, Rectangle],
) -> None:
    """Put a layer in its order around the middle; ``full`` is its height."""
    sizes = [_size(slot, picture) for slot in layer]
    total = sum(width for width, _ in sizes) + _GAP_ACROSS * (len(layer) - 1)
    x = -total / 2
    for slot, (width, height) in zip(layer, sizes, strict=True):
        height = height or full
        places[slot] = Rectangle(x + width / 2, top + full / 2, width, height)
        x += width + _GAP_ACROSS


def _points(
    arrow: tuple[int, int], layer_of: list[int], places: dict[_Slot, Rectangle]
) -> list[tuple[float, float]]:
    first, *passed, last = (places[slot] for slot in _way(*arrow, layer_of))
    points = [(first.x, first.y + first.height / 2)]
    for lane in passed:
        # Upright past the boxes of the layer.
        points += [(lane.x, lane.y + side * lane.height / 2) for side in (-1, 1)]
    return [*points, (last.x, last.y - last.height / 2)]
