"""Recursion under the Python dispatcher, told as a chain of operators and keys.

Nothing is counted while calls succeed. When Python's recursion limit is hit, the
frames of `watch` on the stack say which operator ran at which key; if some of them
repeat, dispatch went in a circle, and the circle is what the user needs to see. A
kernel that recurses on its own keeps its own RecursionError.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

from .errors import DispatchRecursionError
from .frames import frames

if TYPE_CHECKING:
    from .op import OpOverload

#: How many steps of the stack are looked at; a longer circle is cut.
_LOOK_BACK: Final = 200


def watch(op: OpOverload, key: str, function: Any) -> Callable[..., Any]:
    """Return the kernel so that endless recursion through it is told as a chain."""
    kernel: Callable[..., Any] = function
    if not isinstance(function, (FunctionType, MethodType, partial)):
        return kernel
    step = f"{op.name} at {key}"

    def watched(*args: Any, **kwargs: Any) -> Any:
        _ = step  # read by _steps from the frame
        try:
            return kernel(*args, **kwargs)
        except DispatchRecursionError:
            raise
        except RecursionError:
            chain = _circle(_steps(watched.__code__))
            if not chain:
                raise
            raise DispatchRecursionError(chain) from None

    return watched


def _steps(code: Any) -> list[str]:
    """Return the operators and keys on the stack, the latest first."""
    steps = (frame.f_locals["step"] for frame in frames() if frame.f_code is code)
    return list(islice(steps, _LOOK_BACK))


def _circle(steps: list[str]) -> tuple[str, ...]:
    """Return one round of the circle in the order of the calls, () if there is none."""
    # Two rounds may be a kernel that calls itself on a smaller problem.
    if not steps or steps.count(steps[0]) < 3:
        return ()
    length = steps.index(steps[0], 1)
    return (*reversed(steps[: length + 1]),)
