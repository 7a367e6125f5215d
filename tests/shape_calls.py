"""Calls of overloads with arrays and with what a rule may know of these."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, cast

import numpy as np

from keyslot import OpOverload
from keyslot.kernels.numpy.arrays import copied
from keyslot.kernels.shapes import ArraySpec
from keyslot.kernels.shapes.spec import alike
from keyslot.transforms.meta import find_rule

from .oracle.op_arguments import Array, Call
from .oracle.op_cases import CASES
from .oracle.op_refusals import refusals
from .oracle.pointwise_calls import DTYPES, pointwise_calls

#: What a call may be refused with; a subclass of several counts as each of them.
REFUSALS: Final = (TypeError, IndexError, ValueError, ArithmeticError)
#: How many calls of an overload are made with the arrays in another dtype.
_MOST_RECAST: Final = 40
#: Dimensions that hardly any array has.
_FAR_DIMS: Final = (3, -4)


class Outcome(NamedTuple):
    """What a call came to: descriptions of its results, or the error."""

    result: Any
    error: Exception | None = None

    def same_refusal(self, other: Outcome) -> bool:
        """Whether a caller who expects the error of one would catch that of another."""
        return any(
            isinstance(self.error, kind) and isinstance(other.error, kind)
            for kind in REFUSALS
        )


def calls(name: str, op: OpOverload) -> Iterator[Call]:
    """Yield calls of an overload, some of which it refuses."""
    cases = [*CASES[name]()] if name in CASES else []
    yield from cases
    yield from (call for refused, call, _ in refusals() if refused == name)
    yield from _with_far_dims(op, cases)
    if "pointwise" in op.tags and not writes(op):
        made = pointwise_calls(op.schema)
        yield from (call for call in made if _fits(op, call))
    for call in cases[:: max(len(cases) // _MOST_RECAST, 1)]:
        yield from (recast(call, dtype) for dtype in DTYPES)


def writes(op: OpOverload) -> bool:
    """Whether an overload writes to an argument."""
    return any(argument.is_write for argument in op.schema.arguments)


def recast(call: Call, dtype: str) -> Call:
    """Return a call with its arrays in another dtype, the elements as they come."""

    def in_dtype(array: Array) -> Array:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(array).astype(dtype)

    return replaced(call, in_dtype)


def replaced(call: Call, replace: Callable[[Array], Any]) -> Call:
    """Return a call with something else in the place of each array."""

    def each(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic | ArraySpec):
            return replace(cast(Any, value))
        if isinstance(value, list):
            return [each(item) for item in cast(Any, value)]
        return value

    return Call(
        tuple(map(each, call.args)),
        {name: each(value) for name, value in call.kwargs.items()},
    )


def real_outcome(op: OpOverload, call: Call) -> Outcome:
    """Make a call with copies of its arrays."""
    given = replaced(call, copied)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Outcome(described(op(*given.args, **given.kwargs)))
        except (*REFUSALS, NotImplementedError) as error:
            return Outcome(None, error)


def rule_outcome(op: OpOverload, call: Call) -> Outcome:
    """Ask the rule of an overload about a call."""
    given = replaced(call, alike)
    args, kwargs = _bound(op, given)
    try:
        return Outcome(described(find_rule(op)(*args, **kwargs)))
    except REFUSALS as error:
        return Outcome(None, error)


def described(result: Any) -> Any:
    """Return shape and dtype of each array in a result, and numbers as they are."""
    if hasattr(result, "dtype"):
        return (result.shape, str(result.dtype))
    if isinstance(result, list | tuple):
        return [described(each) for each in cast(list[Any], result)]
    return result


def _bound(op: OpOverload, call: Call) -> tuple[list[Any], dict[str, Any]]:
    """Return all arguments of the schema, as kernels get them."""
    schema = op.schema
    named = dict(zip([a.name for a in schema.positional], call.args, strict=False))
    named |= call.kwargs

    def value(argument: Any) -> Any:
        return named.get(argument.name, argument.default)

    return (
        [value(argument) for argument in schema.positional],
        {argument.name: value(argument) for argument in schema.keyword_only},
    )


def _fits(op: OpOverload, call: Call) -> bool:
    """Whether a call gives what the schema asks for, and numbers where it says so."""
    given = dict(zip(op.schema.positional, call.args, strict=False))
    by_name = [argument.name in call.kwargs for argument in given]
    missing = [
        argument
        for argument in op.schema.positional
        if argument not in given and not argument.has_default
    ]
    arrays = [argument.type.base.name == "Scalar" for argument in given]
    is_array = [isinstance(value, np.ndarray) for value in given.values()]
    misplaced = any(map(all, zip(arrays, is_array, strict=True)))
    return not (any(by_name) or missing or misplaced)


def _with_far_dims(op: OpOverload, cases: list[Call]) -> Iterator[Call]:
    names = [argument.name for argument in op.schema.positional]
    for call in cases[::7]:
        for place, value in enumerate(call.args):
            if names[place].startswith("dim") and type(value) is int:
                for dim in _FAR_DIMS:
                    args = (*call.args[:place], dim, *call.args[place + 1 :])
                    yield Call(args, call.kwargs)
