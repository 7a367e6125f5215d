"""What the generated class of methods needs: operators that are loaded late.

A method calls its operator by a global name. Behind it stands a `LateOperator` until
the first call, which loads the module of the operator and puts the function into the
place of the name. Later calls cost what a call of a function costs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, final

from .given import NUMBERS
from .packet import MISSING as _MISSING

if TYPE_CHECKING:
    from .dispatcher import Dispatcher
    from .errors import OverloadError

__all__ = ["MISSING", "LateOperator", "declined"]

#: The default of an argument that is not given, whatever type the argument has.
MISSING: Final[Any] = _MISSING


@final
class LateOperator:
    """Stands for an operator of a generated package until it is first called."""

    __slots__ = ("_module", "_name")

    def __init__(self, name: str, module: dict[str, Any]) -> None:
        self._name: Final = name
        #: The globals that it stands in.
        self._module: Final = module

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        package = import_module(self._module["__package__"])
        function = self._module[self._name] = getattr(package, self._name)
        return function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self._name}, which no method has called yet>"


def declined(error: OverloadError, other: object, dispatcher: Dispatcher) -> Any:
    """Return NotImplemented for an operand that is no array and no number.

    Then Python asks the other operand, and says which operator takes neither. For any
    other operand there is more to say: this raises ``error``.
    """
    is_number = isinstance(other, NUMBERS)
    if is_number or dispatcher.arrays.lookup(type(other)) is not None:
        raise error
    return NotImplemented
