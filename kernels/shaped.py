"""What arrays and their descriptions have in common: a shape and a dtype.

What asks for no more than this serves the kernels, which compute, and the rules in
`keyslot.kernels.shapes`, which only tell what a kernel would return.
"""

from __future__ import annotations

from typing import Any, Protocol


class Shaped(Protocol):
    """An array, or what is known of one without its elements."""

    @property
    def shape(self) -> tuple[Any, ...]:
        """Its sizes."""
        ...

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        ...

    @property
    def dtype(self) -> Any:
        """The dtype of its elements."""
        ...
