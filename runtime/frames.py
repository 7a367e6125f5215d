"""The call stack: sites of registrations, chains of recursion, imports under way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Final

#: What Python calls the file of its import system.
_IMPORT_SYSTEM: Final = "<frozen importlib._bootstrap>"
_getframe: Final = sys._getframe  # pyright: ignore[reportPrivateUsage] # documented


def frames() -> Iterator[FrameType]:
    """Yield the frames of the current thread from the caller's outwards."""
    frame: FrameType | None = _getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_importing() -> bool:
    """Whether the current thread is within an import, whose module others wait for."""
    return any(frame.f_code.co_filename == _IMPORT_SYSTEM for frame in frames())
