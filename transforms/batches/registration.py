"""`batching_rule`: a rule for an operator, registered at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ...generated.keys import DISPATCHER
from .kernel import BatchingKernel

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

R = TypeVar("R", bound=Callable[..., Any])


def batching_rule(
    op: OpOverload, *parameters: str, override: bool = False
) -> Callable[[R], R]:
    """Return a decorator that makes a function the batching rule of an operator.

    The function takes a `BatchedCall` and returns the result with the dimension of the
    batch first. ``parameters`` is what the rule finds in ``call.parameters``. An
    operator of your own names its rule under ``batching`` in its YAML entry instead.

    Raises NotAnOverloadError, and DuplicateKernelError where there is a rule already
    and ``override`` is false.
    """
    DISPATCHER.check_overload(op, "an overload")

    def register(rule: R) -> R:
        kernel: Any = BatchingKernel(op, rule, parameters)
        op.impl("Batched", override=override)(kernel)
        return rule

    return register
