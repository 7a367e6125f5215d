"""Calls of any overload with every combination of dtypes, made from its schema alone.

Arrays have no dimensions or one, of size 3, and hold 1 and 2, which are indices, signs,
divisors and sizes as well. Where a schema does not say enough, a table here does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from random import Random
from typing import Any, TypeVar

import numpy as np
import torch

from keyslot.runtime.schema import (
    Argument,
    FunctionSchema,
    ListType,
    OptionalType,
    Type,
)

from .comparison import SHIPPED, flat, torch_call
from .op_arguments import Array, Call
from .recording import dtypes

T = TypeVar("T")

DTYPES = (
    "float16",
    "float32",
    "float64",
    "int64",
    "int8",
    "uint8",
    "bool",
    "complex64",
)
#: Dtypes that are asked for, by name or as those of arrays for results.
RESULT_DTYPES = ("float16", "float64", "float32", "int64", "int8", "bool", "complex64")
NUMBERS = (2, 0.5, True, 1j)
#: At most so many calls of an overload are made, taken at random, the same every time.
MOST_CALLS = 500

#: How many dimensions arrays have, where it is not none and one.
DIMENSIONS: dict[str, tuple[int, ...]] = {
    "addmm": (2,),
    "addmm_": (2,),
    "bmm": (3,),
    "diagonal": (2,),
    "linear": (1, 2),
    "mT": (2,),
    "mm": (2,),
    "mv": (1, 2),
    "diagonal_scatter": (1, 2),
    "trace": (2,),
    "tril": (2,),
    "tril_": (2,),
    "triu": (2,),
    "triu_": (2,),
}
#: How many elements arrays have along the last dimension, where not three.
LENGTHS: dict[str, int] = {"view_as_complex": 2}
#: Values for arguments without a default, by type and name; a name alone comes first.
VALUES: dict[str, Sequence[Any]] = {
    "bool": [False],
    "int": [1],
    "int[]": [[0]],
    "beta": [1],
    "chunks": [2],
    "dim": [0],
    "equation": ["..., ..."],
    "length": [1],
    "start": [0],
    "axis0": [0],
    "axis1": [0],
    "destination": [0],
    "dim0": [0],
    "dim1": [0],
    "index": [0],
    "pad": [[1, 0]],
    "reduce": ["sum", "prod", "mean", "amax", "amin"],
    "repeats": [[2]],
    "rounding_mode": [None, "floor", "trunc"],
    "shape": [[-1]],
    "size": [[3]],
    "source": [0],
    "split_sizes": [[1, 2]],
    "stride": [[1]],
}


@cache
def dtype_calls(name: str) -> list[Call]:
    """Return calls of an overload with all combinations of dtypes, or many of them."""
    schema = SHIPPED[name].schema
    inputs = [argument for argument in schema.arguments if argument not in schema.out]
    choices = [_choices(name, argument) for argument in inputs]
    calls = [_call(inputs, values) for values in _some([*product(*choices)])]
    return _some([*_with_out(name, schema, calls)]) if schema.out else calls


def _some(choices: list[T]) -> list[T]:
    if len(choices) <= MOST_CALLS:
        return choices
    # Many operators take few dtypes together: half of the calls have two at most.
    plain = [choice for choice in choices if len(set(dtypes(choice))) <= 2]
    mixed = [choice for choice in choices if len(set(dtypes(choice))) > 2]
    half = MOST_CALLS // 2
    parts = [Random(0).sample(part, min(half, len(part))) for part in (plain, mixed)]
    return [*parts[0], *parts[1]]


def _call(arguments: Sequence[Argument], values: Sequence[Any]) -> Call:
    """Return a call that gives by name what cannot be given otherwise."""
    pairs = [*zip(arguments, values, strict=True)]
    return Call(
        tuple(value for argument, value in pairs if not argument.keyword_only),
        {argument.name: value for argument, value in pairs if argument.keyword_only},
    )


def _choices(name: str, argument: Argument) -> Sequence[Any]:
    """Return the values that an argument takes."""
    type = argument.type
    match type.base.name:
        case "Tensor":
            return _some_arrays(type, [*_arrays(name.partition(".")[0])])
        case "Scalar" if not argument.has_default:
            return NUMBERS
        case "Scalar":
            return (argument.default, 2, 0.5)
        case "ScalarType":
            return (None, *RESULT_DTYPES)
        case _:
            return _plain_choices(argument)


def _plain_choices(argument: Argument) -> Sequence[Any]:
    """Return the values of an argument whose type has nothing to do with dtypes."""
    if argument.has_default:
        return [argument.default]
    plain_type = str(argument.type).removeprefix("Sym").lower()
    values = VALUES.get(argument.name) or VALUES[plain_type]
    if plain_type == "int[]":
        return [value if isinstance(value, list) else [value] for value in values]
    return values


def _some_arrays(type: Type, arrays: list[Array]) -> Sequence[Any]:
    """Return arrays, or lists of one that may be None, or lists of two."""
    if not isinstance(type, ListType):
        return arrays
    length = 1 if isinstance(type.element, OptionalType) else 2
    return [list(items) for items in product(arrays, repeat=length)]


def _arrays(packet: str) -> Iterator[Array]:
    """Yield an array for each dtype and number of dimensions."""
    for dtype, ndim in product(DTYPES, DIMENSIONS.get(packet, (0, 1))):
        row = np.array([1, 2, 1] if ndim else 1, dtype)
        square: Array = np.broadcast_to(row, (3,) * ndim)
        yield square[..., : LENGTHS.get(packet)].copy() if ndim else square.copy()


def _with_out(name: str, schema: FunctionSchema, calls: list[Call]) -> Iterator[Call]:
    """Yield the calls with arrays of all dtypes, in the right shapes, for results."""
    found: dict[Any, list[tuple[int, ...]]] = {}
    for given in calls:
        if _shapes(given) not in found and (shapes := _out_shapes(name, schema, given)):
            found[_shapes(given)] = shapes
    for given in calls:
        # Where PyTorch takes no dtypes at all, no shape is right.
        shapes = found.get(_shapes(given), [()] * len(schema.out))
        for result_dtypes in product(RESULT_DTYPES, repeat=len(schema.out)):
            outs = map(np.zeros, shapes, result_dtypes)
            names = [argument.name for argument in schema.out]
            yield Call(
                given.args, {**given.kwargs, **dict(zip(names, outs, strict=True))}
            )


def _shapes(given: Call) -> str:
    """Return what decides about the shapes of the results, for telling calls apart."""
    values = [*given.args, *given.kwargs.items()]
    return repr([getattr(value, "shape", value) for value in values])


def _out_shapes(
    name: str, schema: FunctionSchema, given: Call
) -> list[tuple[int, ...]] | None:
    """Return the shapes that PyTorch gives to empty tensors for the results, if any."""
    for result_dtypes in product(RESULT_DTYPES, repeat=len(schema.out)):
        outs = {
            argument.name: torch.empty(0, dtype=getattr(torch, dtype))
            for argument, dtype in zip(schema.out, result_dtypes, strict=True)
        }
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result, _ = torch_call(name, Call(given.args, {**given.kwargs, **outs}))
            return [tuple(out.shape) for out in flat([result], torch.Tensor)]
    return None
