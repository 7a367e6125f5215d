"""What functions that are differentiated return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...runtime.errors import FunctionResultError
from ..arrays import is_array

#: Any, as what is in them is not known to type checkers.
_SEQUENCES: Final[Any] = (list, tuple)


def split(result: Any, has_aux: bool) -> tuple[Any, Any]:
    """Return the value that a function returned, and what it returned beside it.

    Raises FunctionResultError where there should be both and are not.
    """
    if not has_aux:
        return result, None
    if not isinstance(result, _SEQUENCES) or len(result) != 2:
        wanted = "a pair where has_aux is said, the value and what goes with it"
        raise FunctionResultError(wanted, type(result))
    value, aux = result
    return value, aux


def check_arrays(results: Iterable[Any]) -> None:
    """Raise FunctionResultError unless all of them are arrays."""
    for result in results:
        if not is_array(result):
            wanted = "arrays, in any pytree; wrap numbers with numpy.asarray"
            raise FunctionResultError(wanted, type(result))
