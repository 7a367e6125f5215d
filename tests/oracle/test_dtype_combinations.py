"""Every shipped overload on every combination of dtypes, as PyTorch takes them.

The calls are made from the schemas alone, so that a new operator is held against
PyTorch's type promotion, and against its refusals, by being declared.
"""

from __future__ import annotations

import pytest

from .comparison import SHIPPED, outcome, torch_call
from .dtype_calls import dtype_calls
from .known_differences import unexpected

#: How many calls a failing test shows.
SHOWN = 5

# PyTorch warns of what it deprecates, or drops; what it does is compared none the less.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_dtypes_are_taken_as_by_pytorch(name: str) -> None:
    """Both refuse the dtypes, or both give the same in the same dtype."""
    found = [*unexpected(name, dtype_calls(name))]
    assert not found, "\n".join([f"{len(found)} calls differ:", *found[:SHOWN]])


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_some_of_the_calls_are_taken(name: str) -> None:
    """Comparing refusals alone would show little: the schema has to be given enough.

    Where it is not, DIMENSIONS or VALUES in dtype_calls.py can say more.
    """
    assert any(
        outcome(torch_call, name, given).error is None for given in dtype_calls(name)
    )
