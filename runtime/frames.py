"""The call stack, for sites of registrations and for chains of recursion."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Final

_getframe: Final = sys._getframe  # pyright: ignore[reportPrivateUsage] # documented


def frames() -> Iterator[FrameType]:
    """Yield the frames of the current thread from the caller's outwards."""
    frame: FrameType | None = _getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back
