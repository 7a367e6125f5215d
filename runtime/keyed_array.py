"""Arrays that carry their own key set.

The keys that an array of NumPy brings follow from its type. A wrapper around an array,
one that records gradients for example, has keys of its own in each object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .op import OpOverload
    from .state import Setting

Handler = Callable[..., Any]


class KeyedArray:
    """The base class of arrays that carry their key set."""

    __slots__ = ("bits",)

    #: The bits of the array's key set.
    bits: int

    @classmethod
    def handler(
        cls, op: OpOverload, setting: Setting, bits: int, place: int, function: Handler
    ) -> Handler:
        """Return what runs where a call with such arguments reaches a kernel.

        ``bits`` are those of the call, ``place`` the key that was chosen, ``function``
        the kernel there.
        """
        del op, setting, bits, place
        return function
