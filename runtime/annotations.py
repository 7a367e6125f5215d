"""What type checkers are told about operators. Nothing here does anything when it runs.

The stubs of generated operators are made of these names, and so can the annotations of
kernels be. A type takes what a call takes, see `arguments`, as far as types can say it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from .symbols import SymbolicBool, SymbolicFloat, SymbolicInt, SymbolicNumber

if TYPE_CHECKING:
    from .explain import Explanation
    from .packet import OpOverloadPacket

__all__ = ["Array", "Bool", "Float", "Int", "Number", "Opaque", "OperatorFunction"]

Array: TypeAlias = Any
"""An array of any library, or a Python number in its place where an operator takes one.

Classes of arrays are registered at run time and need have nothing in common, so no type
is narrower, and none has all of them and no numbers. A result is an array of whichever
library the call belongs to.
"""

Opaque: TypeAlias = Hashable
"""A dtype, device, layout, generator and the like: whatever the array library reads.

What can be none of them and is no hashable either, a list or an array, is refused.
"""


class IntegralNumber(Protocol):
    """An integer of NumPy or another library: of arrays none has a numerator."""

    @property
    def numerator(self) -> Any:
        """The number itself."""

    def __index__(self) -> int: ...


class RealNumber(Protocol):
    """A number of NumPy or another library: arrays have no ``__round__``."""

    def __round__(self, /) -> Any: ...

    def __float__(self) -> float: ...


class BoolNumber(Protocol):
    """NumPy's bool: an array has ``item`` too, but no hash."""

    def __hash__(self) -> int: ...

    def item(self) -> bool:
        """Return Python's bool."""
        ...


class ZeroDimensional(Protocol):
    """A scalar of a library, or an array that may have no dimensions."""

    def item(self) -> Any:
        """Return the Python number."""


Int: TypeAlias = int | IntegralNumber | SymbolicInt
"""``int`` and ``SymInt``. Type checkers let a ``bool`` pass, calls do not."""

Float: TypeAlias = float | RealNumber | SymbolicInt | SymbolicFloat
"""``float``: any number but complex ones. A ``bool`` passes here alone, as above."""

Bool: TypeAlias = bool | BoolNumber | SymbolicBool
"""``bool``: of Python or NumPy."""

Number: TypeAlias = complex | ZeroDimensional | SymbolicNumber
"""``Scalar``: any number of Python, or what gives one with ``item()``."""


class OperatorFunction:
    """What every operator function has besides its overloads and its call.

    Only type checkers see operators as objects of such classes.
    """

    __name__: str
    __qualname__: str
    #: What stands behind the function.
    packet: OpOverloadPacket
    #: Returns the names of the overloads, in the order in which they are tried.
    overloads: Callable[[], list[str]]
    #: Returns the whole decision for one call, without making the call.
    explain: Callable[..., Explanation]
