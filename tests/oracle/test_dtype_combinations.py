"""Every shipped overload on every combination of dtypes, as PyTorch takes them.

The calls are made from the schemas alone, so that a new operator is held against
PyTorch's type promotion, and against its refusals, by being declared. Pointwise
operators get operands of all shapes besides, and special numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from .comparison import SHIPPED, outcome, torch_call
from .declarations import pointwise
from .dtype_calls import dtype_calls
from .known_differences import unexpected
from .op_arguments import Call
from .pointwise_calls import pointwise_calls

POINTWISE = pointwise()
#: How many calls a failing test shows.
SHOWN = 5

# PyTorch warns of what it deprecates, or drops; what it does is compared none the less.
pytestmark = pytest.mark.filterwarnings("ignore")


def made_calls(name: str) -> Iterable[Call]:
    """Return the calls that are made from the schema of an overload."""
    schema = POINTWISE.get(name)
    return pointwise_calls(schema) if schema else dtype_calls(name)


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_dtypes_are_taken_as_by_pytorch(name: str) -> None:
    """Both refuse the dtypes, or both give the same in the same dtype."""
    found = [*unexpected(name, made_calls(name))]
    assert not found, "\n".join([f"{len(found)} calls differ:", *found[:SHOWN]])


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_some_of_the_calls_are_taken(name: str) -> None:
    """Comparing refusals alone would show little: the schema has to be given enough.

    Where it is not, DIMENSIONS or VALUES in dtype_calls.py can say more.
    """
    assert any(
        outcome(torch_call, name, given).error is None for given in made_calls(name)
    )
