"""The derivatives of the shipped operators against PyTorch's.

The calls are those that PyTorch's own samples of its functions make, in double
precision and as they are, and those of ``gradient_cases``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..gradient_cases import CASES
from .comparison import SHIPPED
from .gradient_differences import DIFFERENCES
from .gradients import derivative_differences
from .known_differences import Difference
from .memory import in_double
from .op_arguments import Call
from .opinfo_calls import opinfo_calls

#: The overloads that have formulas. Those with ``out`` refuse to be differentiated.
DERIVED = sorted(
    name for name, op in SHIPPED.items() if op.derivatives and not op.schema.out
)
#: So many calls of an overload are taken from the samples, in each precision.
MOST = 15
SHOWN = 5

# PyTorch warns of what it deprecates, or drops; what it does is compared none the less.
pytestmark = pytest.mark.filterwarnings("ignore")


def calls(name: str) -> Iterator[Call]:
    """Yield calls of an overload."""
    recorded = opinfo_calls().get(name, [])
    # Taken from all of them, since the first ones have the same dtype.
    for given in recorded[:: 1 + len(recorded) // MOST]:
        yield in_double(given)
        yield given
    yield from CASES.get(name, [])


@pytest.mark.parametrize("name", DERIVED)
def test_derivatives_are_those_of_pytorch(name: str) -> None:
    """Gradients, their gradients and tangents are."""
    found = [
        f"{name}{given}: {text}"
        for given in calls(name)
        for text in derivative_differences(name, given)
        if not any(known.explains(name, given, text) for known in DIFFERENCES)
    ]
    assert not found, "\n".join([f"{len(found)} derivatives differ:", *found[:SHOWN]])


@pytest.mark.parametrize("known", DIFFERENCES, ids=lambda known: known.name)
def test_example_shows_the_difference(known: Difference) -> None:
    """A difference that is gone has no place in the table."""
    found = derivative_differences(known.name, known.example)
    assert any(known.explains(known.name, known.example, text) for text in found), found
