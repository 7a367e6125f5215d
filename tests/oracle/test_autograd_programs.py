"""Random programs with gradients, through keyslot and through PyTorch.

A program is a list of steps over a stack of arrays: arithmetic, views, writes, parts in
`no_grad`, detached arrays. Both run it; then the sum of all arrays goes backward.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from keyslot import Tensor, errors, ops
from keyslot.transforms import no_grad

#: What keyslot raises where PyTorch raises a RuntimeError.
MISUSE = (
    errors.InPlaceError,
    errors.ChangedValueError,
    errors.SavedValuesFreedError,
    errors.GradientInputError,
)

#: Operators that make a new array, of one or of two; the functions of a library are
#: the first argument.
NEW: dict[str, Callable[..., Any]] = {
    "add": lambda lib, x, y: x + y,
    "mul": lambda lib, x, y: x * y,
    "sub": lambda lib, x, y: x - y,
    "tanh": lambda lib, x, y: lib.tanh(x),
    "sin": lambda lib, x, y: lib.sin(x),
    "scaled": lambda lib, x, y: x * 0.5 + 1,
    "cat": lambda lib, x, y: lib.cat([x, y, x], 0)[:2],
    "where": lambda lib, x, y: lib.where(x > 0, x, y),
    "clone": lambda lib, x, y: x.clone(),
    "detached": lambda lib, x, y: x.detach(),
}
VIEWS: dict[str, Callable[[Any], Any]] = {
    "row": lambda x: x[0],
    "part": lambda x: x[..., 1:],
    "flipped": lambda x: x.transpose(0, -1),
    "within": lambda x: x.unsqueeze(0),
    "bottom": lambda x: x[1:],
}
WRITES: dict[str, Callable[..., Any]] = {
    "mul_": lambda lib, x, y: x.mul_(y),
    "add_": lambda lib, x, y: x.add_(y),
    "scale_": lambda lib, x, y: x.mul_(0.5),
    "tanh_": lambda lib, x, y: x.tanh_(),
    "copy_": lambda lib, x, y: x.copy_(y),
    "fill_": lambda lib, x, y: x.fill_(0.25),
    "set": lambda lib, x, y: x.__setitem__(0, 0.75),
    "set first": lambda lib, x, y: x.__setitem__(0, y[0]),
}
KINDS = {"new": NEW, "view": VIEWS, "write": WRITES}


class Step(NamedTuple):
    """One line of a program: what is done, and with which arrays of the stack."""

    kind: str
    name: str
    first: int
    second: int
    recorded: bool


STEPS = st.one_of(
    [
        st.builds(
            Step,
            st.just(kind),
            st.sampled_from(sorted(table)),
            st.integers(0, 9),
            st.integers(0, 9),
            st.sampled_from([True, True, True, False]),
        )
        for kind, table in KINDS.items()
    ]
)


class Outcome(NamedTuple):
    """What a program leaves behind, or what it raised."""

    values: list[Any]
    grads: list[Any]
    error: Exception | None


def run(
    steps: list[Step], library: Any, quiet: Any, leaves: list[Any], constant: Any
) -> Outcome:
    """Run a program, and go backward from the sum of all that it made."""
    stack = [*leaves, constant]
    try:
        for step in steps:
            with nullcontext() if step.recorded else quiet():
                run_step(step, library, stack)
        total: Any = sum(((n + 1) * one).sum() for n, one in enumerate(stack))
        total.backward()
    except (RuntimeError, TypeError) as error:
        return Outcome([], [], error)
    grads = [None if x.grad is None else np.asarray(x.grad.detach()) for x in leaves]
    return Outcome([np.asarray(x.detach()) for x in stack], grads, None)


def run_step(step: Step, library: Any, stack: list[Any]) -> None:
    """Run one step; arrays that do not fit together are replaced by the first alone."""
    x, y = (stack[place % len(stack)] for place in (step.first, step.second))
    if step.kind == "view":
        if len(x.shape) == 2 and min(x.shape) > 1:
            stack.append(VIEWS[step.name](x))
        return
    if tuple(x.shape) != tuple(y.shape):
        y = x
    if step.kind == "new":
        stack.append(NEW[step.name](library, x, y))
    else:
        WRITES[step.name](library, x, y)


@given(st.lists(STEPS, min_size=1, max_size=9))
@settings(deadline=None, max_examples=600)
def test_programs_have_the_gradients_of_pytorch(steps: list[Step]) -> None:
    """Programs have the gradients of PyTorch."""
    arrays = [
        np.linspace(-1, 2, 6).reshape(2, 3),
        np.linspace(0.5, -1.5, 6).reshape(2, 3),
    ]
    constant = np.linspace(2, 1, 6).reshape(2, 3)
    theirs = run(
        steps,
        torch,
        torch.no_grad,
        [torch.tensor(array, requires_grad=True) for array in arrays],
        torch.tensor(constant),
    )
    ours = run(
        steps,
        ops,
        no_grad,
        [Tensor(array.copy(), requires_grad=True) for array in arrays],
        Tensor(constant.copy()),
    )
    if theirs.error is not None:
        # Writes to views that were made in no_grad are right here, and errors there.
        assume("view" not in str(theirs.error) or ours.error is not None)
        assert isinstance(ours.error, MISUSE), theirs.error
        return
    assert ours.error is None, ours.error
    for mine, other in zip(ours.values, theirs.values, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    for mine, other in zip(ours.grads, theirs.grads, strict=True):
        assert (mine is None) == (other is None)
        if mine is not None:
            np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)
