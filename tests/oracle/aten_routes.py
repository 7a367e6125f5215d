"""The ways to make one call: as PyTorch does, and through `keyslot.torch.aten`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch._dispatch.python import enable_python_dispatcher

from .aten_calls import Call
from .outcomes import Outcome, outcome

Context = Callable[[], AbstractContextManager[Any]]


class Route(NamedTuple):
    """A way to make a call: whose operators, and under what."""

    through_keyslot: bool
    #: Whether the Python dispatcher is on.
    is_interposed: bool
    context: Context = nullcontext

    def outcome(self, aten: Any, call: Call) -> Outcome:
        """Make a call, and return what can be seen of it."""
        with self.context():
            return outcome(self.operator(aten, call.name), call)

    def operator(self, aten: Any, name: str) -> Any:
        """Return the operator or overload of a name that is called."""
        return operator(aten if self.through_keyslot else torch.ops.aten, name)


def operator(operators: Any, name: str) -> Any:
    """Return the operator or overload of a name."""
    packet, _, overload = name.partition(".")
    found = getattr(operators, packet)
    return getattr(found, overload) if overload else found


def _interposed() -> AbstractContextManager[Any]:
    from keyslot.torch import enable_python_dispatcher as enable

    return enable()


pytorch = Route(through_keyslot=False, is_interposed=False)
pytorch_interposed = Route(False, True, enable_python_dispatcher)
#: Ours, each with how it is called in messages.
ROUTES = {
    "dispatcher off": Route(through_keyslot=True, is_interposed=False),
    "dispatcher on": Route(True, True, _interposed),
}
