"""PyTorch's operators called through `keyslot.torch.aten`, and as PyTorch calls them.

The calls are those of PyTorch's samples of its own functions. Each is made with the
Python dispatcher off and on; nothing that can be seen may differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .aten_calls import INFOS, Call, calls_of, with_gradients
from .aten_routes import ROUTES, Route, pytorch, pytorch_interposed
from .outcomes import Outcome, differences

#: How many differences a failing test shows.
SHOWN = 5

pytestmark = [
    # PyTorch warns of what it deprecates; what it does is compared none the less.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("float32_and_filled_memory"),
]


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.full_name)
def test_calls_of_samples(info: Any, aten: Any) -> None:
    """Every call that PyTorch's samples make does through aten what it does without."""
    found = [
        line
        for call in calls_of(info)
        if hasattr(aten, call.name.partition(".")[0])  # PyTorch never dispatches others
        for line in compared(aten, call)
    ]
    assert not found, "\n".join([f"{len(found)} differences:", *found[:SHOWN]])


def compared(aten: Any, call: Call) -> Iterator[str]:
    """Yield how a call through aten differs from PyTorch's."""
    theirs = made(pytorch, aten, call)
    for name, route in ROUTES.items():
        ours = made(route, aten, call)
        found = [*differences(ours, theirs)]
        if found and route.is_interposed:
            # What kernels of PyTorch's own Python dispatcher change is no fault.
            found = [*differences(ours, made(pytorch_interposed, aten, call))]
        for line in found:
            yield f"{call.name}, {name}: {line}"


def made(route: Route, aten: Any, call: Call) -> Outcome:
    """Make a call on copies of its tensors."""
    return route.outcome(aten, with_gradients(call.copy()))
