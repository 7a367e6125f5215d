"""`functionalize`: a function without its changes in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from ...runtime.errors import ArgumentValueError
from ..layers import opened
from ..pytree import flatten, unflatten
from .inputs import Inputs
from .layer import FunctionalizeLayer

Function = Callable[..., Any]
_REMOVES: Final = ("mutations", "mutations_and_views")


def functionalize(function: Function, remove: str = "mutations") -> Function:
    """Return a function that does what another one does, and changes no array in it.

    Operators that change an array in place, or write to one given with ``out=``, are
    replaced by those that return a new one, and what else sees the changed memory is
    made anew. Arguments that ``function`` changes are changed at the end, each by one
    `copy_`. With ``remove`` "mutations_and_views" views are copies, too.

    The function takes and returns any pytrees. It raises NoFunctionalCompanionError
    for an operator that no other can stand for, FunctionalWriteError for a change of an
    array that is neither an argument nor made inside, and SharedInputsError where an
    argument that is changed shares memory with another one.
    """
    if remove not in _REMOVES:
        raise ArgumentValueError(f"remove is {remove!r}; it can be {_REMOVES}")

    @wraps(function)
    def functionalized(*args: Any, **kwargs: Any) -> Any:
        layer = FunctionalizeLayer(copies_views=remove == "mutations_and_views")
        leaves, structure = flatten((args, kwargs))
        inputs = Inputs(layer, leaves)
        given, named = unflatten(structure, inputs.wrapped)
        with layer.guard:
            result = function(*given, **named)
        outputs, shape = flatten(result)
        values = [opened(output, layer.level) for output in outputs]
        inputs.write_back()
        return unflatten(shape, values)

    return functionalized
