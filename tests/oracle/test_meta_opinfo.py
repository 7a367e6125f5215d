"""Traces of calls from samples of OpInfo, replayed on other elements, in every way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from keyslot.runtime.errors import DataNeededError
from keyslot.transforms import make_fx

from ..shape_calls import replaced
from .comparison import REFUSALS, SHIPPED, UNDETERMINED, as_list
from .op_arguments import Call
from .opinfo_calls import opinfo_calls

#: At most about so many calls of an overload are traced.
MOST_CALLS = 6
SHOWN = 5
#: Operators whose results nobody has chosen.
_LEFT_OUT = frozenset(
    name
    for name, op in SHIPPED.items()
    if "nondeterministic_seeded" in op.tags
    or op.schema.name.startswith(("empty", "new_empty", "resize"))
)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", sorted(SHIPPED.keys() - _LEFT_OUT))
def test_traces_compute_what_calls_do(name: str) -> None:
    """With elements or abstract, interpreted or compiled."""
    calls = opinfo_calls().get(name, [])
    found = [
        f"{call}: {problem}"
        for call in calls[:: 1 + len(calls) // MOST_CALLS]
        for problem in _differences(name, call)
    ]
    assert not found, "\n".join([f"{len(found)} differ:", *found[:SHOWN]])


def _differences(name: str, call: Call) -> Iterator[str]:
    """Yield how traces of a call differ from a call with other elements."""
    op: Any = SHIPPED[name]
    other = replaced(call, _other)
    try:
        with np.errstate(all="ignore"):
            op(*replaced(call, np.copy).args, **replaced(call, np.copy).kwargs)
            given = replaced(other, np.copy)
            expected = op(*given.args, **given.kwargs)
    except REFUSALS:
        return
    for mode in ("real", "symbolic"):
        example = replaced(call, np.copy)
        try:
            with np.errstate(all="ignore"):
                graph = make_fx(op, mode)(*example.args, **example.kwargs)
        except DataNeededError:
            continue
        for way, run in (("interpreted", graph), ("compiled", graph.compile())):
            given = replaced(other, np.copy)
            with np.errstate(all="ignore"):
                found = run(*given.args, **given.kwargs)
            if not _same(name, found, expected):
                yield f"traced with {mode} and {way}"


def _other(array: Any) -> Any:
    """Return an array of the same shape with its elements in the opposite order."""
    flat = np.asarray(array).ravel()[::-1]
    return flat.reshape(array.shape)


def _same(name: str, found: Any, expected: Any) -> bool:
    pairs = enumerate(zip(as_list(found), as_list(expected), strict=True))
    return all(
        place == UNDETERMINED.get(name)
        or np.array_equal(
            np.asarray(one),
            np.asarray(other),
            equal_nan=np.asarray(one).dtype.kind in "fc",
        )
        for place, (one, other) in pairs
    )
