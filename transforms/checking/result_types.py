"""The results of a call held against the types that the schema declares."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import is_array

if TYPE_CHECKING:
    from ...runtime.schema import FunctionSchema, Type


def wrong_types(schema: FunctionSchema, result: Any) -> str:
    """Return which result is of another type than declared; an empty text for none."""
    declared = schema.returns
    if not declared:
        return "" if result is None else f"it returns {_name(result)}, not nothing"
    results = (result,) if len(declared) == 1 else result
    for place, (returned, value) in enumerate(zip(declared, results, strict=True)):
        if not _is_of(returned.type, value):
            return (
                f"result {place} is {_name(value)}, and the schema says {returned.type}"
            )
    return ""


def _is_of(kind: Type, value: Any) -> bool:
    if kind.kind == "optional":
        return value is None or _is_of(kind.element, value)
    if kind.kind == "list":
        return isinstance(value, (list, tuple)) and all(
            _is_of(kind.element, item) for item in value
        )
    return _is_value_of(kind.name, value)


def _is_value_of(name: str, value: Any) -> bool:
    """Whether a value is of a type that has no parts; of others nothing is known."""
    truth = isinstance(value, (bool, np.bool_))
    match name:
        case "Tensor":
            return is_array(value)
        case "bool" | "SymBool":
            return truth
        case "int" | "SymInt":
            return not truth and not is_array(value) and _is_index(value)
        case "float" | "Scalar":
            number = isinstance(value, (int, float, complex, np.number))
            return number and (name == "Scalar" or not truth)
        case _:
            return True


def _is_index(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _name(value: Any) -> str:
    return type(value).__name__
