"""Wrong things in the places of arrays, over all shipped operators."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from keyslot import OpOverload, errors, ops

from .schema_calls import array_arguments, call_with, shipped


class Level(enum.IntEnum):
    """A subclass of int."""

    LOW = 0


class Real(float):
    """A subclass of float."""

    __slots__ = ()


SHIPPED = shipped()
NUMBERS = [0, 2.5, True, 1j, Level.LOW, Real(2.5)]
NO_ARRAYS: list[Any] = ["x", b"x", None, {}, object(), [], [1], ["x"], [None]]
ARRAYS = [np.ones(2), np.ones((2, 2)), np.ones(2, bool), np.ones(2, int)]
LISTS = [[array] for array in ARRAYS]

# NumPy warns of logarithms of 0 and the like.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_what_is_refused_is_refused_by_keyslot(name: str) -> None:
    """Whatever stands in the place of an array: no bare exception of Python or NumPy.

    So it is for the overload, and for the operator, which may find another overload.
    """
    op = SHIPPED[name]
    for called in (op, getattr(ops, op.schema.name)):
        failures = [*bare_failures(op, called)]
        assert failures == []


def bare_failures(op: OpOverload, called: Any) -> Iterator[str]:
    """Make all the calls, and yield those that end in somebody else's exception."""
    values = (*NUMBERS, *NO_ARRAYS, *LISTS)
    for argument, value, array in product(array_arguments(op), values, ARRAYS):
        if called is not op and value is None and argument.is_write:
            continue  # Not given, for the operator: another overload takes the rest.
        args, kwargs = call_with(op, argument, value, array)
        try:
            called(*args, **kwargs)
        except errors.KeyslotError:
            pass
        except Exception as error:
            yield f"{argument.name}={value!r} with {array.dtype}: {error!r}"


@pytest.mark.parametrize("name", sorted(SHIPPED))
@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: type(n).__name__)
def test_numbers_stand_for_arrays_in_pointwise_overloads(
    name: str, number: object
) -> None:
    """All overloads with the tag get them in all arguments they read, no others do."""
    op = SHIPPED[name]
    for argument in array_arguments(op):
        value = [number] if "[]" in str(argument.type) else number
        args, kwargs = call_with(op, argument, value, ARRAYS[0])
        taken = True
        try:
            op(*args, **kwargs)
        except errors.OverloadError as error:
            taken = False
            reason = error.refusals[0][1]
            assert reason.startswith(f"argument {argument.name!r} ")
            assert argument.is_write or "pass an array, such as np.asarray" in reason
        except errors.KeyslotError:
            pass  # Taken, and nothing that the kernel can work with.
        assert taken is (op.takes_numbers and not argument.is_write), argument


def test_number_alone_is_written_as_an_array_without_dimensions() -> None:
    """With ``out`` a number may be the only thing that is read."""
    out = np.zeros(())
    assert ops.sqrt(4, out=out) is out
    assert out == 2.0
    with pytest.raises(errors.OutShapeError):
        ops.sqrt(4, out=np.zeros(1))


def test_number_of_a_subclass_is_as_weak_as_its_base() -> None:
    """What promotion makes of it follows from the number that it is."""
    small, single = np.ones(2, "int8"), np.ones(2, "float32")
    assert ops.maximum(small, Level.LOW).dtype == small.dtype
    assert ops.maximum(small, Real(2.5)).dtype == np.dtype("float64")
    assert ops.maximum(single, Real(2.5)).dtype == single.dtype
    with pytest.raises(OverflowError):
        ops.sqrt(10**30, out=np.zeros(()))
